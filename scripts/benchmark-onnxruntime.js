// How fast ONNX Runtime runs a model of one float32 image; part of
// scripts/benchmark-models.
// usage: node benchmark-onnxruntime.js DIR-WITH-NODE_MODULES MODEL.onnx SECONDS THREADS
'use strict';

const {createRequire} = require('module');
const path = require('path');

async function main() {
  const [folder, model, seconds, threads] = process.argv.slice(2);
  const ort = createRequire(path.resolve(folder, 'package.json'))('onnxruntime-node');
  const session = await ort.InferenceSession.create(model, {
    executionProviders: ['cpu'],
    graphOptimizationLevel: 'all',
    executionMode: 'sequential',
    intraOpNumThreads: Number(threads),
    interOpNumThreads: 1,
  });
  const shape = session.inputMetadata?.[0]?.shape ?? [1, 3, 224, 224];
  const data = new Float32Array(shape.reduce((a, b) => a * b));
  // Any values do, but not all the same: a linear congruential generator.
  let state = 1;
  for (let i = 0; i < data.length; ++i) {
    state = (state * 1103515245 + 12345) % 2147483648;
    data[i] = state / 1073741824 - 1;
  }
  const feeds = {[session.inputNames[0]]: new ort.Tensor('float32', data, shape)};
  for (let i = 0; i < 5; ++i) await session.run(feeds);
  const times = [];
  const end = performance.now() + Number(seconds) * 1000;
  let result;
  while (performance.now() < end || times.length < 20) {
    const start = performance.now();
    result = await session.run(feeds);
    times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  const output = result[session.outputNames[0]].data;
  console.log(JSON.stringify({
    median: times[times.length >> 1], best: times[0], runs: times.length,
    largest: output.indexOf(Math.max(...output)),
    version: createRequire(path.resolve(folder, 'package.json'))('onnxruntime-node/package.json').version,
  }));
}

main().catch((error) => {
  console.error(`error: ${error.message}`);
  process.exit(1);
});
