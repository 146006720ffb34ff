// What is the same in every page of `diff --format html`: its style, and the script for searching.
// Neither loads anything, and the page has a policy that forbids it.
#pragma once

#include <string_view>

namespace renderer::diff {

inline constexpr std::string_view kPageStyle = R"(
:root{color-scheme:light dark;--page:#ffffff;--text:#1f2328;--quiet:#59636e;--line:#d1d9e0;--soft:#f6f8fa;--link:#0969da;
--add:#1a7f37;--remove:#cf222e;--change:#9a6700}
@media (prefers-color-scheme:dark){:root{--page:#0d1117;--text:#f0f6fc;--quiet:#9198a1;--line:#3d444d;--soft:#151b23;--link:#4493f8;
--add:#3fb950;--remove:#f85149;--change:#d29922}}
*{box-sizing:border-box}
html{scroll-padding-top:7rem}
body{margin:0 auto;max-width:72rem;padding:1rem;background:var(--page);color:var(--text);
font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif}
h1{font-size:1.4rem;margin:0 0 .5rem}
h2{display:inline;font-size:1.05rem;margin:0}
a{color:var(--link)}
code{font:.875em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;background:var(--soft);border-radius:4px;padding:.1em .3em;
overflow-wrap:anywhere}
.r-skip{position:absolute;left:-99rem}
.r-skip:focus{left:1rem;top:.5rem;background:var(--page);padding:.5rem}
.r-note{border-left:4px solid var(--remove);padding:.5rem 1rem;background:var(--soft)}
.r-tools{position:sticky;top:0;z-index:1;display:flex;flex-wrap:wrap;gap:.5rem;align-items:center;padding:.5rem 0;background:var(--page);
border-bottom:1px solid var(--line)}
.r-tools input{flex:1 1 12rem;min-width:0}
.r-tools input,.r-tools button{font:inherit;padding:.35rem .6rem;color:inherit;background:var(--soft);border:1px solid var(--line);
border-radius:6px}
.r-count{color:var(--quiet);min-width:9rem}
nav ul,.r-lines,.r-lines ul{padding-left:1.2rem;margin:.3rem 0}
.r-section,.r-object{border:1px solid var(--line);border-radius:6px;margin:.6rem 0;padding:.4rem .8rem}
.r-alarm{border:2px solid var(--remove)}
.r-object{border-width:0 0 0 3px;border-radius:0;margin:.3rem 0;padding:.1rem .6rem}
summary{cursor:pointer}
summary:focus-visible,a:focus-visible,input:focus-visible,button:focus-visible,.r-wide:focus-visible{outline:2px solid var(--link);
outline-offset:2px}
.r-lines{list-style:none;padding-left:0}
.r-lines>li{padding-left:1.6rem;text-indent:-1.6rem}
.r-lines ul{text-indent:0;list-style:disc;color:var(--quiet)}
.r-mark{display:inline-block;width:1.6rem;text-indent:0;font-weight:700;text-align:center}
.r-add{color:var(--add)}.r-remove{color:var(--remove)}.r-change{color:var(--change)}
.r-wide{overflow-x:auto}
.r-wide svg{max-width:none;height:auto}
table{border-collapse:collapse;width:100%;font-size:.9rem}
th,td{border:1px solid var(--line);padding:.25rem .5rem;text-align:left;vertical-align:top}
th{background:var(--soft);font-weight:600}
[hidden]{display:none!important}
@media (max-width:40rem){thead{position:absolute;left:-99rem}table,tbody,tr,th,td{display:block;width:auto}td::before{content:attr(data-side) " ";
color:var(--quiet)}tr{margin-bottom:.5rem}}
)";

inline constexpr std::string_view kPageScript = R"js(
const box = document.getElementById("search"), count = document.getElementById("count");
const rows = [...document.querySelectorAll("[data-row]")], folds = [...document.querySelectorAll("details")];
const texts = rows.map(row => row.textContent.toLowerCase());
const mostUnfolded = 20;
let before = null;  // which folds were open before the search
function search() {
  const words = box.value.toLowerCase().split(/\s+/).filter(Boolean), searches = words.length > 0;
  if (searches && !before) before = folds.map(fold => fold.open);
  rows.forEach((row, i) => { row.hidden = !words.every(word => texts[i].includes(word)); });
  const found = rows.filter(row => !row.hidden);
  document.querySelectorAll("main .r-section").forEach(section => {
    section.hidden = searches && !section.querySelector("[data-row]:not([hidden])");
    document.querySelector(`nav a[href="#${section.id}"]`).parentElement.hidden = section.hidden;
  });
  folds.forEach((fold, i) => {
    const isHit = fold.matches(".r-section") || found.length <= mostUnfolded;
    fold.open = searches ? before[i] || isHit : before ? before[i] : fold.open;
  });
  if (!searches) before = null;
  count.textContent = searches ? `${found.length} of ${rows.length} changes` : "";
}
box.addEventListener("input", search);
document.getElementById("open").addEventListener("click", () => folds.forEach(fold => { fold.open = true; }));
document.getElementById("close").addEventListener("click", () => folds.forEach(fold => { fold.open = false; }));
document.addEventListener("keydown", event => {
  const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
  if (event.key === "/" && isPlain && document.activeElement !== box) { event.preventDefault(); box.focus(); }
  if (event.key === "Escape" && document.activeElement === box) { box.value = ""; search(); }
});
)js";

}  // namespace renderer::diff
