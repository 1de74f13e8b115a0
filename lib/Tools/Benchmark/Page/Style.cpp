//===- Style.cpp - The style sheet of the page ----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sections.h"

using namespace nnhal;

const std::string_view tools::pageStyle = R"(
:root{color-scheme:light dark;--ground:#f6f7f9;--card:#fff;--ink:#16202c;
--soft:#55616f;--line:#dde2e8;--good:#0a6b45;--bad:#b3261e;--grid:#e6eaef;
--c1:#2563eb;--c2:#c2570c;--c3:#0f8a5f;--c4:#be2a78;--c5:#7c3aed;--c6:#0e7490;
--c7:#5b7d0a;--c8:#a16207}
@media (prefers-color-scheme:dark){:root{--ground:#0f141a;--card:#171e26;
--ink:#e7ecf2;--soft:#9aa7b5;--line:#2a343f;--good:#5fd6a2;--bad:#ff8a80;
--grid:#242d37;--c1:#6ea8fe;--c2:#f5a25d;--c3:#4fd1a0;--c4:#f48fc0;--c5:#b79cff;
--c6:#5cc8de;--c7:#b5d458;--c8:#e3bf5b}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);
font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{max-width:68rem;margin:0 auto;padding:1.5rem 1rem 4rem}
h1{font-size:1.7rem;line-height:1.2;margin:.5rem 0 .25rem}
h2{font-size:1.2rem;margin:0 0 .25rem}
h3{font-size:1rem;margin:1.25rem 0 .5rem;overflow-wrap:anywhere}
p{margin:.25rem 0 .75rem;color:var(--soft);max-width:46rem}
.facts{overflow-wrap:anywhere}
section{background:var(--card);border:1px solid var(--line);border-radius:.75rem;
padding:1.1rem 1.25rem;margin:1.25rem 0}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr));
gap:.75rem;margin:1.25rem 0}
.card{background:var(--card);border:1px solid var(--line);border-radius:.75rem;
padding:.8rem 1rem}
.card b{display:block;font-size:1.5rem;line-height:1.2;font-weight:650;
font-variant-numeric:tabular-nums}
.card span{color:var(--soft);font-size:.85rem;overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%;font-size:.9rem;
font-variant-numeric:tabular-nums}
th,td{text-align:left;padding:.4rem .6rem;border-bottom:1px solid var(--line);
vertical-align:top}
thead th{color:var(--soft);font-weight:600;font-size:.8rem;white-space:nowrap}
tbody th{font-weight:650;padding-top:1rem;overflow-wrap:anywhere}
td small{color:var(--soft);display:block;font-size:.78rem;white-space:nowrap}
.good{color:var(--good);font-weight:600}.bad{color:var(--bad);font-weight:600}
.scroll{overflow-x:auto}
.swatch{display:inline-block;width:.7em;height:.7em;border-radius:.2em;
margin-right:.45em}
.row{display:grid;grid-template-columns:15rem 1fr 10.5rem;gap:.75rem;
align-items:center;padding:.15rem 0}
.row .label{font-size:.88rem;overflow-wrap:anywhere;line-height:1.25}
.row .value{text-align:right;font-size:.88rem;font-variant-numeric:tabular-nums;
line-height:1.25}
.row svg{width:100%;height:28px;display:block;overflow:visible}
.axis{color:var(--soft);font-size:.75rem}
.axis div{position:relative;height:1.2rem}
.axis span{position:absolute;transform:translateX(-50%);white-space:nowrap}
.grid{stroke:var(--grid);stroke-width:1}
.track{fill:var(--grid)}
.legend{display:flex;flex-wrap:wrap;gap:.25rem 1rem;font-size:.82rem;
color:var(--soft);margin:.25rem 0 .5rem}
details{margin:.5rem 0 0;font-size:.88rem}
summary{cursor:pointer;color:var(--soft)}
summary:focus-visible{outline:2px solid var(--c1);outline-offset:2px}
.strip{width:100%;height:34px;display:block;border-radius:.35rem;overflow:hidden}
.roof{width:100%;height:340px;display:block;font-size:12px}
.roof text{fill:var(--soft)}.roof .name{fill:var(--ink)}
ul{margin:.25rem 0;padding-left:1.2rem;overflow-wrap:anywhere}
footer{color:var(--soft);font-size:.85rem}
@media (max-width:54rem){main{padding:1rem .75rem 3rem}section{padding:.9rem}
.row{grid-template-columns:1fr auto;gap:.1rem .5rem;padding:.35rem 0}
.row .plot{grid-column:1/-1;grid-row:2}
.row.axis{padding:0}.row.axis .label,.row.axis .value{display:none}
.wide thead{display:none}.wide,.wide tbody{display:block}
.wide tr{display:grid;grid-template-columns:1fr 1fr;gap:0 .75rem;
border-bottom:1px solid var(--line);padding:.5rem 0}
.wide th,.wide td{border:0;padding:.15rem 0}
.wide th,.wide td:first-child,.wide .reason{grid-column:1/-1}
.wide td[data-label]::before{content:attr(data-label);display:block;
color:var(--soft);font-size:.72rem;font-weight:400}}
@media print{section{break-inside:avoid}}
)";
