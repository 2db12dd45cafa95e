/** The style of a report: system fonts, light and dark colours, one column on a phone, black on white in print. */
export const STYLE = `
:root{color-scheme:light dark;--bg:#fff;--fg:#17202c;--dim:#525e6d;--line:#d5dbe3;--soft:#eaeef3;--card:#f6f8fa;
--go:#14713f;--care:#8a5300;--nogo:#b3261e;--go-bg:#e9f6ee;--care-bg:#fdf3df;--nogo-bg:#fdecea;
--old:#c3cad4;--off:#7d8794;--legacy:#f0b429;--new:#38a169;--down:#c7423a;--paused:#8f6fd1;--on:#17202c;
--a:#2563c9;--b:#c2410c;--c:#7c3aed;--d:#0f766e;--hatch:rgba(0,0,0,.16)}
@media (prefers-color-scheme:dark){:root{--bg:#10151c;--fg:#e8edf3;--dim:#a3afbe;--line:#2f3946;--soft:#222b36;--card:#18202a;
--go:#5bd198;--care:#edb64a;--nogo:#ff8a82;--go-bg:#12291e;--care-bg:#2e2410;--nogo-bg:#331917;
--old:#8592a3;--off:#67727f;--legacy:#d99a1b;--new:#3aa86f;--down:#e0655f;--paused:#a58be0;--on:#0b0f14;
--a:#6ea8fe;--b:#fb923c;--c:#b794f6;--d:#2dd4bf;--hatch:rgba(0,0,0,.28)}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--fg);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;overflow-wrap:break-word}
main{max-width:68rem;margin:0 auto;padding:2rem 1.25rem 5rem}
h1{font-size:1.6rem;line-height:1.25;margin:0;letter-spacing:-.01em}
h2{font-size:1.25rem;line-height:1.3;margin:3rem 0 .25rem;letter-spacing:-.01em}
h3{font-size:1rem;line-height:1.35;margin:1.1rem 0 .35rem}
p{margin:.4rem 0}
a{color:var(--a)}
.kicker{font-size:.8rem;font-weight:600;letter-spacing:.06em;text-transform:uppercase;color:var(--dim);margin:0 0 .2rem}
.note,small{color:var(--dim);font-size:.875rem;font-weight:400}
.note{margin:.2rem 0 .9rem}
.verdict{border-radius:.75rem;padding:1.1rem 1.4rem;margin:1.4rem 0 1rem;border:1px solid;border-left-width:.5rem}
.verdict.go{background:var(--go-bg);border-color:var(--go)}.verdict.care{background:var(--care-bg);border-color:var(--care)}.verdict.nogo{background:var(--nogo-bg);border-color:var(--nogo)}
.word{display:block;font-size:2.1rem;line-height:1.1;font-weight:750;margin:0;letter-spacing:-.02em}
.go .word{color:var(--go)}.care .word{color:var(--care)}.nogo .word{color:var(--nogo)}
.lead{font-size:1.1rem;font-weight:600;margin:.35rem 0 .5rem}
.verdict ul{margin:.5rem 0 0;padding-left:1.15rem}.verdict li{margin:.15rem 0}
.findings{list-style:none;padding:0;margin:1rem 0;display:grid;gap:.75rem}
.findings>li{background:var(--card);border:1px solid var(--line);border-radius:.6rem;padding:.8rem 1.1rem;break-inside:avoid}
.findings h3{margin:0 0 .2rem}.findings .todo{font-weight:550}
dl{margin:0;display:grid;grid-template-columns:7rem 1fr;gap:.2rem 1rem}
dt{color:var(--dim);font-size:.9rem}dd{margin:0}
.chart{margin:.75rem 0 .5rem}
.chart h3{margin:.9rem 0 .2rem;font-size:.8rem;letter-spacing:.05em;text-transform:uppercase;color:var(--dim)}
.lane{display:grid;grid-template-columns:13rem 1fr;column-gap:1rem;align-items:center}
.label{font-size:.875rem;line-height:1.3;padding:.2rem 0}.label b{font-weight:600}.label small{font-size:.8rem}
.plot{position:relative;align-self:stretch;min-height:1.7rem}
.plot s{position:absolute;top:0;bottom:0;width:1px;background:var(--soft);text-decoration:none}
.chart .g-step,.marks-list .g-step{background:var(--line)}.chart .g-harm,.marks-list .g-harm{background:var(--down)}.chart .g-return,.marks-list .g-return{background:var(--fg)}
.plot s.g-return{width:2px;margin-left:-1px}
.plot s.break,.legend .break{width:7px;margin-left:-3px;background:repeating-linear-gradient(135deg,var(--dim) 0 2px,transparent 2px 4px)}
.bar{position:absolute;left:0;right:0;top:.3rem;height:1.1rem}
.pair .plot{min-height:2.7rem}.bar.measured{top:1.5rem}
.bar i{position:absolute;top:0;height:100%;min-width:2px;border-radius:2px;font-style:normal;font-size:.7rem;line-height:1.1rem;padding:0 .3rem;color:var(--on);overflow:hidden;white-space:nowrap;font-weight:600}
.bar i.leads::after{content:"";position:absolute;left:0;right:0;bottom:0;height:3px;background:var(--fg)}
.bar i.m-down{top:40%;height:20%}
.m-old{background:var(--old)}.m-off{background:var(--off)}.m-new{background:var(--new)}.m-down{background:var(--down)}
.m-legacy{background:repeating-linear-gradient(135deg,transparent 0 5px,var(--hatch) 5px 7px),var(--legacy)}
.m-paused{background:repeating-linear-gradient(90deg,var(--paused) 0 4px,transparent 4px 7px)}
.plot svg{position:relative;display:block;width:100%;height:1.1rem;margin:.3rem 0}
.tall .plot svg{height:7.5rem}.tall{align-items:start}
.lines{list-style:none;margin:.3rem 0 0;padding:0}.lines li{margin:.15rem 0}.lines small{display:block;margin-left:1.5rem}
.lines i{display:inline-block;width:1.1rem;height:.2rem;margin-right:.4rem;vertical-align:middle}
.lane.axis .plot{min-height:1.4rem}.lane.axis .plot s{display:none}
.tick.first{transform:none}.tick.last{transform:translateX(-100%)}
.tick{position:absolute;transform:translateX(-50%);font-size:.75rem;color:var(--dim);white-space:nowrap;font-variant-numeric:tabular-nums}
.legend{display:flex;flex-wrap:wrap;gap:.25rem 1.1rem;list-style:none;margin:.5rem 0;padding:0;font-size:.85rem}
.legend i{display:inline-block;width:1.1rem;height:.75rem;margin-right:.4rem;border-radius:2px}
.legend .leads{height:3px;background:var(--fg);vertical-align:middle}.legend .break{width:7px;margin-left:0}
.legend .upper{background:linear-gradient(var(--dim) 45%,var(--soft) 45%)}.legend .lower{background:linear-gradient(var(--soft) 55%,var(--dim) 55%)}
.marks-list{list-style:none;margin:1rem 0 0;padding:0;font-size:.9rem;columns:20rem;column-gap:2rem}
.marks-list li{display:grid;grid-template-columns:.3rem minmax(4.5rem,auto) 1fr;gap:.5rem;align-items:baseline;padding:.12rem 0;break-inside:avoid}
.marks-list time{font-variant-numeric:tabular-nums;color:var(--dim);white-space:nowrap}
.marks-list i{align-self:stretch}
.c-error{fill:var(--down);background:var(--down)}.c-odd{fill:var(--legacy);background:var(--legacy)}
.s-0{stroke:var(--a);fill:var(--a);background:var(--a)}.s-1{stroke:var(--b);fill:var(--b);background:var(--b)}
.s-2{stroke:var(--c);fill:var(--c);background:var(--c)}.s-3{stroke:var(--d);fill:var(--d);background:var(--d)}
.line{fill:none;stroke-width:2;vector-effect:non-scaling-stroke}.line.dashed{stroke-dasharray:5 4}.area{opacity:.14;stroke:none}
.lines i.dashed{background:repeating-linear-gradient(90deg,var(--a) 0 5px,transparent 5px 9px)}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.925rem}
caption{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
thead th{color:var(--dim);font-weight:550;font-size:.825rem;white-space:nowrap;vertical-align:bottom}
th,td{text-align:left;padding:.5rem 1rem .5rem 0;border-bottom:1px solid var(--line);vertical-align:top;font-weight:400}
tbody th{font-weight:600}
th:last-child,td:last-child{padding-right:0}
.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.plain{list-style:none;margin:0;padding:0}
.tag{display:inline-block;border-radius:.9rem;padding:0 .55rem;font-size:.8rem;font-weight:600;line-height:1.35rem;border:1px solid currentColor;white-space:nowrap}
.critical{color:var(--nogo)}.warning{color:var(--care)}.info{color:var(--dim)}.open{color:var(--go)}
.steps{margin:.5rem 0;padding:0;list-style:none;counter-reset:s}
.steps>li{counter-increment:s;border-bottom:1px solid var(--line);padding:.35rem 0;break-inside:avoid}
.steps ul{list-style:none;margin:0 0 .2rem;padding-left:2rem}
.step{display:flex;gap:.7rem;align-items:flex-start;padding:.2rem 0}
.step input{flex:none;width:1.15rem;height:1.15rem;margin:.18rem 0 0;accent-color:var(--a)}
.step label{display:grid;grid-template-columns:9.5rem 1fr;gap:.1rem 1rem;cursor:pointer;flex:1}
.step time{color:var(--dim);font-variant-numeric:tabular-nums}
.step input:checked+label span{color:var(--dim);text-decoration:line-through}
.never time{color:var(--nogo);font-weight:650}
.inputs{margin-bottom:1rem;grid-template-columns:10rem 1fr}
code{font:.875em ui-monospace,SFMono-Regular,Menlo,monospace}
pre{background:var(--card);border:1px solid var(--line);border-radius:.6rem;padding:.8rem 1rem;white-space:pre-wrap;font:.85rem/1.5 ui-monospace,SFMono-Regular,Menlo,monospace;overflow-wrap:anywhere}
code.long{overflow-wrap:anywhere}
summary{cursor:pointer;color:var(--a);font-weight:550;padding:.25rem 0}
:focus-visible{outline:2px solid var(--a);outline-offset:2px;border-radius:2px}
@media (max-width:44rem){main{padding:1.25rem 1rem 4rem}h1{font-size:1.35rem}.word{font-size:1.8rem}.verdict{padding:.9rem 1rem}
dl,.inputs{grid-template-columns:1fr;gap:0}dd{margin-bottom:.5rem}
.lane{grid-template-columns:1fr}.lane.axis .label{display:none}.label{padding:.35rem 0 0}.label small{margin-left:.3rem}
.bar i{padding:0 .2rem}
.step label{grid-template-columns:1fr}
thead{display:none}tr{display:block;padding:.6rem 0;border-bottom:1px solid var(--line)}
td,tbody th{display:block;border:0;padding:.12rem 0}td.n{text-align:left}
td[data-label]:not([data-label=""])::before{content:attr(data-label) ": ";color:var(--dim)}}
@media print{@page{margin:14mm}:root{color-scheme:light;--bg:#fff;--fg:#000;--dim:#444;--line:#bbb;--soft:#e3e3e3;--card:#fff;--on:#000;
--go:#14713f;--care:#8a5300;--nogo:#b3261e;--go-bg:#fff;--care-bg:#fff;--nogo-bg:#fff;
--old:#c3cad4;--off:#7d8794;--legacy:#f0b429;--new:#38a169;--down:#c7423a;--paused:#8f6fd1;--a:#2563c9;--b:#c2410c;--c:#7c3aed;--d:#0f766e;--hatch:rgba(0,0,0,.16)}
body{font-size:10pt}main{max-width:none;padding:0}h2,h3{break-after:avoid}h2{margin-top:1.6rem}.lane,tr{break-inside:avoid}
summary{color:var(--fg)}details::details-content{content-visibility:visible;block-size:auto}
*{-webkit-print-color-adjust:exact;print-color-adjust:exact}}
`
