/** The look of a report: system fonts, two sets of colours, one column on a phone, black on white on paper. */
export const STYLE = `
:root{color-scheme:light dark;--bg:#fff;--fg:#1c2430;--dim:#5b6675;--line:#d9dee5;--card:#f5f7f9;
--go:#1a7f4b;--care:#a36200;--nogo:#c0312b;--old:#b9c1cb;--off:#7d8794;--legacy:#e3a008;--new:#2f9e63;--down:#d6504a;
--paused:#8f6fd1;--mark:#1c2430;--a:#2563c9;--b:#c2410c;--c:#7c3aed;--d:#0f766e}
@media (prefers-color-scheme:dark){:root{--bg:#12161c;--fg:#e6eaf0;--dim:#9aa6b5;--line:#2d3642;--card:#1a2029;
--go:#4cc38a;--care:#e0a63a;--nogo:#ff6b63;--old:#566170;--off:#3b4552;--legacy:#d99a1b;--new:#3aa86f;--down:#e0655f;
--paused:#a58be0;--mark:#e6eaf0;--a:#6ea8fe;--b:#fb923c;--c:#b794f6;--d:#2dd4bf}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--fg);font:16px/1.5 system-ui,sans-serif}
main{max-width:62rem;margin:0 auto;padding:1.25rem 1rem 4rem}
h1{font-size:1rem;font-weight:500;color:var(--dim);margin:0}
h2{font-size:1.2rem;margin:2.5rem 0 .5rem}
h3{font-size:.95rem;margin:1rem 0 .25rem;color:var(--dim);font-weight:600}
.verdict{border-left:.5rem solid;padding:.25rem 0 .25rem 1rem;margin:1rem 0}
.verdict strong{display:block;font-size:2.2rem;line-height:1.15}
.verdict ul{margin:.5rem 0 0;padding-left:1.1rem}
.verdict.go{border-color:var(--go)}.verdict.go strong{color:var(--go)}
.verdict.care{border-color:var(--care)}.verdict.care strong{color:var(--care)}
.verdict.nogo{border-color:var(--nogo)}.verdict.nogo strong{color:var(--nogo)}
.numbers{display:grid;grid-template-columns:repeat(auto-fit,minmax(9rem,1fr));gap:.75rem;margin:1.25rem 0;padding:0;list-style:none}
.numbers li{background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:.6rem .8rem}
.numbers b{display:block;font-size:1.35rem;line-height:1.25;overflow-wrap:anywhere}
.numbers span{color:var(--dim);font-size:.85rem}
.note,small{color:var(--dim);font-size:.85rem;font-weight:400}
.note{margin:.25rem 0 .75rem}
svg{display:block;width:100%}
.row{margin:.35rem 0}
.name{font-size:.9rem;font-weight:600;overflow-wrap:anywhere}
.answer{font-size:.8rem;color:var(--dim);overflow-wrap:anywhere}
.top{font-size:.8rem;color:var(--dim)}
.axis{position:relative;height:1.5rem;border-top:1px solid var(--line);margin-top:.25rem;font-size:.75rem;color:var(--dim)}
.axis span{position:absolute;transform:translateX(-50%);white-space:nowrap;padding-top:.2rem}
.axis .first{transform:none}.axis .last{transform:translateX(-100%)}
.legend{display:flex;flex-wrap:wrap;gap:.25rem 1rem;list-style:none;margin:.25rem 0 0;padding:0;font-size:.85rem}
.legend i{display:inline-block;width:.9rem;height:.7rem;margin-right:.35rem;border-radius:.15rem}
.m-old{fill:var(--old);background:var(--old)}.m-off{fill:var(--off);background:var(--off)}
.m-legacy{fill:var(--legacy);background:var(--legacy)}.m-new{fill:var(--new);background:var(--new)}
.m-down{fill:var(--down);background:var(--down)}.m-paused{fill:var(--paused);background:var(--paused)}
.m-leader{fill:var(--fg);background:var(--fg)}.legend .m-leader{height:.2rem;vertical-align:middle}
.m-return{fill:var(--mark);background:var(--mark)}.legend .m-return{width:.2rem}
.c-error{fill:var(--down);background:var(--down)}.c-odd{fill:var(--legacy);background:var(--legacy)}
.s-0{stroke:var(--a);fill:var(--a);background:var(--a)}.s-1{stroke:var(--b);fill:var(--b);background:var(--b)}
.s-2{stroke:var(--c);fill:var(--c);background:var(--c)}.s-3{stroke:var(--d);fill:var(--d);background:var(--d)}
.line{fill:none;stroke-width:2;vector-effect:non-scaling-stroke}.area{opacity:.12;stroke:none}
.grid{stroke:var(--line);vector-effect:non-scaling-stroke}
table{border-collapse:collapse;width:100%;font-size:.9rem}
th{text-align:left;color:var(--dim);font-weight:500;font-size:.8rem}
th,td{padding:.45rem .6rem .45rem 0;border-bottom:1px solid var(--line);vertical-align:top;overflow-wrap:anywhere}
td:first-child{min-width:9.5rem}
td.n{min-width:0;text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.tag{display:inline-block;border-radius:.9rem;padding:.05rem .55rem;font-size:.8rem;border:1px solid currentColor}
.critical{color:var(--nogo)}.warning{color:var(--care)}.info{color:var(--dim)}
code{font:.85em ui-monospace,monospace}
pre{background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:.75rem;white-space:pre-wrap;overflow-wrap:anywhere}
summary{cursor:pointer;color:var(--dim)}
@media (max-width:40rem){.stack thead{display:none}.stack tr{display:block;padding:.6rem 0;border-bottom:1px solid var(--line)}
.stack td{display:block;min-width:0;border:0;padding:.1rem 0;text-align:left!important}.stack td[data-label]::before{content:attr(data-label) ": ";color:var(--dim)}
.verdict strong{font-size:1.7rem}}
@media print{:root{color-scheme:light;--bg:#fff;--fg:#000;--dim:#444;--line:#bbb;--card:#fff}
body{font-size:11pt}main{max-width:none;padding:0}section{break-inside:avoid-page}details{display:none}
*{-webkit-print-color-adjust:exact;print-color-adjust:exact}}
`
