//===- Detection.td - Detection of objects -----------------*- tablegen -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_DIALECT_NNHAL_IR_DETECTION
#define NNHAL_DIALECT_NNHAL_IR_DETECTION

include "nnhal/Dialect/NNHal/IR/HalForm.td"

def NNHal_DetectionGroup : OpDocGroup {
  let summary = "Detection of objects";
  let description = [{
    Rules: docs/Spec/Detection.md. Boxes are [left, top, right, bottom]. How many
    boxes an operation selects is known when it has run.
  }];
}

let opDocGroup = NNHal_DetectionGroup in {

def NNHal_AxisAlignedBBoxTransformOp
    : NNHal_FormOp<NNHal_AXIS_ALIGNED_BBOX_TRANSFORM> {
  let summary = "regions moved and scaled by deltas, within their image";
  let description = [{
    ```mlir
    %0 = nnhal.axis_aligned_bbox_transform %rois, %deltas, %batches, %info
        : (tensor<5x4xf32>, tensor<5x8xf32>, tensor<5xi32>, tensor<4x2xf32>)
        -> tensor<5x8xf32>
    ```
  }];
}

def NNHal_BoxWithNmsLimitOp
    : NNHal_FormOp<NNHal_BOX_WITH_NMS_LIMIT,
                   (outs NNHal_Tensor:$scores_out, NNHal_Tensor:$boxes_out,
                         NNHal_IndexTensor:$classes,
                         NNHal_IndexTensor:$batches_out)> {
  let summary = "the boxes that are left when better ones suppress their like";
  let description = [{
    A negative `max_boxes` sets no limit. `kernel` says how a box loses score to
    a better one that it overlaps: `hard`, `linear` or `gaussian`.

    ```mlir
    %0:4 = nnhal.box_with_nms_limit %scores, %boxes, %batches
        score_threshold 0.1 max_boxes -1 kernel hard iou_threshold 0.5
        sigma 0.5 nms_score_threshold 0.1
        : (tensor<5x3xf32>, tensor<5x12xf32>, tensor<5xi32>)
          -> (tensor<?xf32>, tensor<?x4xf32>, tensor<?xi32>, tensor<?xi32>)
    ```
  }];
}

def NNHal_DetectionPostprocessingOp
    : NNHal_FormOp<NNHal_DETECTION_POSTPROCESSING,
                   (outs NNHal_Tensor:$scores_out, NNHal_Tensor:$boxes,
                         NNHal_IndexTensor:$classes,
                         NNHal_IndexTensor:$counts)> {
  let summary = "boxes from anchors and deltas, the best of them per image";
  let description = [{
    Boxes are [top, left, bottom, right] here. `max_detections_per_class` counts
    with `regular_nms`, `max_classes_per_detection` without.

    ```mlir
    %0:4 = nnhal.detection_postprocessing %scores, %deltas, %anchors
        y_scale 10.0 x_scale 10.0 height_scale 5.0 width_scale 5.0
        regular_nms false max_detections 3 max_classes_per_detection 1
        max_detections_per_class 1 score_threshold 0.1 iou_threshold 0.5
        background_label true
        : (tensor<1x6x3xf32>, tensor<1x6x4xf32>, tensor<6x4xf32>)
          -> (tensor<1x3xf32>, tensor<1x3x4xf32>, tensor<1x3xi32>, tensor<1xi32>)
    ```
  }];
}

def NNHal_GenerateProposalsOp
    : NNHal_FormOp<NNHal_GENERATE_PROPOSALS,
                   (outs NNHal_Tensor:$scores_out, NNHal_Tensor:$boxes,
                         NNHal_IndexTensor:$batches)> {
  let summary = "regions that may hold objects, from anchors at every place";
  let description = [{
    A limit that is not positive sets none.

    ```mlir
    %0:3 = nnhal.generate_proposals %scores, %deltas, %anchors, %info
        height_ratio 1.0 width_ratio 1.0 pre_nms_limit -1 post_nms_limit -1
        iou_threshold 0.5 min_size 1.0
        : (tensor<1x2x2x3xf32>, tensor<1x2x2x12xf32>, tensor<3x4xf32>,
           tensor<1x2xf32>) -> (tensor<?xf32>, tensor<?x4xf32>, tensor<?xi32>)
    ```
  }];
}

def NNHal_HeatmapMaxKeypointOp
    : NNHal_FormOp<NNHal_HEATMAP_MAX_KEYPOINT,
                   (outs NNHal_Tensor:$scores, NNHal_Tensor:$keypoints)> {
  let summary = "where each heatmap is largest, in the image's coordinates";
  let description = [{
    Heatmaps are [boxes, size, size, keypoints], boxes [boxes, 4]. The result is the
    score and, between pixels by a quadratic, the place of each keypoint.

    ```mlir
    %0:2 = nnhal.heatmap_max_keypoint %heatmaps, %boxes
        : (tensor<2x4x4x3xf32>, tensor<2x4xf32>)
          -> (tensor<2x3xf32>, tensor<2x3x2xf32>)
    ```
  }];
}

def NNHal_RoiAlignOp : NNHal_FormOp<NNHal_ROI_ALIGN, hasSpatialResult = 1> {
  let summary = "the mean of bilinear samples of each bin of a region";
  let description = [{
    With 0 samples the size of a bin decides how many there are.

    ```mlir
    %0 = nnhal.roi_align %features, %rois, %batches
        output_height 2 output_width 2 height_ratio 1.0 width_ratio 1.0
        height_samples 0 width_samples 0
        : (tensor<1x4x4x3xf32>, tensor<5x4xf32>, tensor<5xi32>)
          -> tensor<5x2x2x3xf32>
    ```
  }];
}

def NNHal_RoiPoolingOp : NNHal_FormOp<NNHal_ROI_POOLING, hasSpatialResult = 1> {
  let summary = "the largest element of each bin of a region";
  let description = [{
    Regions are [x1, y1, x2, y2] in the image, which the ratios divide. A bin without
    elements yields 0.

    ```mlir
    %0 = nnhal.roi_pooling %features, %rois, %batches
        output_height 2 output_width 2 height_ratio 1.0 width_ratio 1.0
        : (tensor<1x4x4x3xf32>, tensor<5x4xf32>, tensor<5xi32>)
          -> tensor<5x2x2x3xf32>
    ```
  }];
}

} // opDocGroup

#endif // NNHAL_DIALECT_NNHAL_IR_DETECTION
