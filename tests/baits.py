"""Markup with which a page could be made to act for the student: overlays, clobbered ids, requests.

`GRADE` and `QUESTION` are the ids of formgrader's input fields for the points.
"""

import base64

GRADE, QUESTION = "check_average_topic", "question_padding"
ELSEWHERE = "https://attack.example"
_OVER = (
    "opacity:0;padding:4000px;margin:-3900px",
    "display:block;padding:900px;margin:-899px",
    "padding:900px",
    "display:inline-block;width:999px;height:999px;margin-left:-500px;margin-top:-500px",
    "position:fixed;top:0;left:0;width:100%;height:100%;z-index:9999",
    "position:fixed;inset:0",
    "p\\6fsition:fixed;inset:0",
    "margin:calc(0px - 900px);padding:900px",
    "margin:/**/-900px;padding:900px",
    "margin:-9e2px;padding:9e2px",
    "margin: +0px -900px;padding:900px",
    "padding:100vh 100vw;margin:-100vh",
    "float:left;margin:-900px;padding:900px",
    "transform:scale(99)",
    "filter:opacity(0);padding:900px",
    "visibility:hidden;padding:900px",
    "outline:900px solid;outline-offset:-900px",
    "box-shadow:0 0 0 900px",
    "line-height:999;font-size:999px;vertical-align:999px",
    "text-indent:-900px;letter-spacing:-9px;padding:900px",
)
_CLASSES = (
    "full-credit",
    "btn btn-success full-credit",
    "no-credit mark-graded",
    "nbgrader_cell full-credit",
    "modal-backdrop in full-credit",
    "navbar navbar-fixed-top affix full-credit",
    "modal fade in collapse tooltip popover dropdown-backdrop full-credit",
    "score tabbable extra-credit comment",
    "help sr-only hidden pull-right full-credit",
    "carousel-control embed-responsive-item full-credit",
    "MathJax MJX-full-credit full-credit",
)
_PICTURE = f"<svg xmlns='http://www.w3.org/2000/svg'><image href='{ELSEWHERE}/svg.png'/></svg>"
_ENCODED = base64.b64encode(_PICTURE.encode()).decode()


def _around(inside):
    """As if it were formgrader's own cell with this grade."""
    return [
        f'<div class="nbgrader_cell"><span id="{name}"></span>{inside}</div>'
        for name in (GRADE, QUESTION)
    ]


OVERLAYS = [
    text
    for style in _OVER
    for text in (
        f'<a class="full-credit" href="#x" style="{style}">x</a>',
        *_around(f"<a class='full-credit' href='{ELSEWHERE}/over' style='{style}'>x</a>"),
        f"<table class=full-credit style='{style}'><tr><td style='{style}'>x</td></tr></table>",
    )
]
CLASSES = [
    text
    for words in _CLASSES
    for text in (f'<p class="{words}">x</p>', *_around(f'<a class="{words}" href="#x">x</a>'))
]
CLOBBERED = [
    f'<a id="{GRADE}" name="{GRADE}">x</a><form id="{QUESTION}"><input name="submission_id"></form>',
    f'<img id="{GRADE}-comment" alt="x"><img name="formgrader" alt="x"><b id="base_url">x</b>',
    f"# {GRADE}\n\n## {QUESTION}\n\n### notebook",
    f'<b id="user-content-">x</b><b id=" {GRADE}">x</b><b id={GRADE}>x</b>',
    '<h1 id="notebook-container" class="anchor-link"><a class="anchor-link" href="#notebook">x</a>',
]
CONTROLS = [
    f'<label for="{GRADE}" style="display:block;width:999px;height:999px">x</label>',
    '<form action="/formgrader/api/grade/1" method="post"><button class="full-credit">x</button></form>',
    f'<input class="score" id="{GRADE}" value="3"><textarea class="comment">x</textarea>',
    '<a data-toggle="modal" data-target="#notebook" href="#notebook">x</a>',
    '<a data-toggle="collapse" data-parent="body" data-link="x" href="#notebook">x</a>',
    '<b data-spy="affix" data-offset-top="1" data-dismiss="alert" data-toggle="button">x</b>',
    f'<svg style="position:fixed;inset:0"><a href="{ELSEWHERE}/svg"><rect class="full-credit"/></a></svg>',
    f'<math class="full-credit" style="position:fixed" href="{ELSEWHERE}/m"><mi>x</mi></math>',
    f'<math><maction actiontype="toggle" class="full-credit" xlink:href="{ELSEWHERE}/m"></math>',
    '<style>a { position: fixed; inset: 0; opacity: 0 }</style><a class="full-credit" href="#x">x</a>',
    '<map name="m"><area class="full-credit" coords="0,0,900,900"></map><img usemap="#m" alt="x">',
    '<dialog open class="full-credit" style="position:fixed;inset:0">x</dialog>',
    '<details open class="full-credit"><summary class="full-credit">x</summary>x</details>',
]
FORMULAS = [
    rf"$\style{{opacity:0;padding:4000px;margin:-3900px}}{{\href{{{ELSEWHERE}/tex}}{{x}}}}$",
    rf"$$\class{{full-credit}}{{\cssId{{{GRADE}}}{{\bbox[900px,border:900px solid]{{x}}}}}}$$",
    rf"\begin{{align}}\href{{{ELSEWHERE}/tex}}{{\kern-900px\rule{{900px}}{{900px}}}}\end{{align}}",
]
REQUESTS = [
    f"![x]({ELSEWHERE}/markdown.png)",
    f"![x][there]\n\n[there]: {ELSEWHERE}/reference.png",
    f"![x]({ELSEWHERE.removeprefix('https:')}/relative.png)",
    f"![x](<{ELSEWHERE}/angle.png>) ![x](HTTPS://attack.example/upper.png)",
    f'<img src="{ELSEWHERE}/html.png" alt="x"><img src=http://attack.example/bare.png>',
    f'<img srcset="{ELSEWHERE}/set.png 2x" src="data:image/png;base64,AAAA" lowsrc="{ELSEWHERE}/low">',
    f'<picture><source srcset="{ELSEWHERE}/source.png"><img alt="x"></picture>',
    f'<video poster="{ELSEWHERE}/poster.png" src="{ELSEWHERE}/film"></video><audio src="{ELSEWHERE}/a">',
    f'<table background="{ELSEWHERE}/table.png"><tr><td background="{ELSEWHERE}/cell.png">x</table>',
    f'<p style="background:url({ELSEWHERE}/style.png)">x</p>',
    f"<p style=\"background:u\\72l({ELSEWHERE}/escaped.png);border-image:url('{ELSEWHERE}/b')\">x</p>",
    f"<p style=\"background:image-set('{ELSEWHERE}/set.png' 1x);list-style:url({ELSEWHERE}/l)\">x</p>",
    f'<link rel="prefetch" href="{ELSEWHERE}/prefetch"><link rel="stylesheet" href="{ELSEWHERE}/css">',
    f'<style>@import url("{ELSEWHERE}/import.css"); p {{ background: url({ELSEWHERE}/rule) }}</style>',
    f'<iframe src="{ELSEWHERE}/frame"></iframe><object data="{ELSEWHERE}/object"></object>',
    f'<embed src="{ELSEWHERE}/embed"><input type="image" src="{ELSEWHERE}/input.png">',
    f'<svg><image href="{ELSEWHERE}/image.png"/><use href="{ELSEWHERE}/use.svg#x"/></svg>',
    f'<img alt="x" src="data:image/svg+xml;base64,{_ENCODED}">',
    f'<meta http-equiv="refresh" content="1;url={ELSEWHERE}/refresh"><base href="{ELSEWHERE}/">',
    f'<body background="{ELSEWHERE}/body.png"><a ping="{ELSEWHERE}/ping" href="#x">x</a>',
]
BAITS = [*OVERLAYS, *CLASSES, *CLOBBERED, *CONTROLS, *FORMULAS, *REQUESTS]
