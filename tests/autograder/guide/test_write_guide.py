"""The instructor's guide: what it collects, what it proves, and where it never is."""

import fnmatch
import json
import re
import shutil

import pytest
from checkout import ROOT, shared_assignment
from click.testing import CliRunner

from autograder.authoring.bundle import make_bundle, make_repository
from autograder.cli import main
from autograder.course.layout import Course
from autograder.errors import AuthorError, ClassError, CourseError, MachineError
from autograder.gradebook.class_folder import Classroom
from autograder.guide import print_pdf, write_guide
from autograder.guide.exam_bank import read_bank
from autograder.guide.frequent_mistakes import frequent_mistakes
from autograder.guide.lesson_facts import LessonFacts, reused_names
from autograder.guide.written_sheets import read_sheet

COURSE = Course(ROOT)
ASSIGNMENTS = COURSE.assignments()
REUSED = reused_names(COURSE)
SECTIONS = ["On the board", "The drawing", "What goes wrong", "Expected numbers", "What to cut"]
BROWSER = print_pdf.find_browser()


def facts(name):
    return LessonFacts(shared_assignment(name), REUSED)


def sheet(name):
    exam = read_bank(COURSE.guide).get(name, [])
    return write_guide.read(COURSE, Classroom(COURSE), name, exam, REUSED)


def test_questions_for_the_room_are_those_of_the_notebooks():
    assert any("after which epoch" in one for one in facts("03_deep_averaging").guesses)
    assert any("7.5, below 6" in one for one in facts("02_word2vec").guesses)
    assert any("which two removals" in one for one in facts("05_transformer_block").guesses)
    for name in ASSIGNMENTS:
        text = "\n".join(c.source for c in shared_assignment(name).release.cells)
        flat = " ".join(text.split())
        for one in facts(name).guesses:
            assert one[:40] in flat, (name, one)
    assert sum(len(facts(name).guesses) for name in ASSIGNMENTS) > 30


def test_what_needs_an_exercise_is_read_from_the_code():
    tasks = {task.name: task for task in facts("05_transformer_block").tasks}
    reused = tasks["scaled_dot_product_attention"]
    assert reused.reused_in == ["06_bert", "11_transformer_translation"]
    assert "TransformerBlock" in reused.called_by
    assert tasks["relative_positions"].reused_in == []
    assert (tasks["layer_norm"].level, tasks["padding_mask"].minutes) != ("", "")


def test_a_cut_that_a_later_assignment_needs_has_to_name_it(tmp_path):
    made = sheet("04_attention")
    made.written.sections["What to cut"] = "- `masked_softmax`: nobody needs it."
    with pytest.raises(AuthorError, match="students paste masked_softmax into 08_sentence_enc"):
        made.cuts()
    made.written.sections["What to cut"] = "- `masked_soft`: a word."
    with pytest.raises(AuthorError, match="masked_soft is no exercise"):
        made.cuts()


def test_an_output_that_the_notebook_does_not_store_is_refused(tmp_path):
    path, notebook = tmp_path / "04.md", shared_assignment("04_attention").solution.notebook
    assert read_sheet(path, notebook).sections == {}
    for block, message in {
        "no such cell": "'no such cell' is in 0 code cells",
        "import": r"'import' is in \d+ code cells",
        "draw = torch.Generator()\nnowhere": "'nowhere' is in no stored output",
    }.items():
        path.write_text(f"## Expected numbers\n```output\n{block}\n```\n")
        with pytest.raises(AuthorError, match=message):
            read_sheet(path, notebook)
    path.write_text("## Expected numbers\n```output\ndraw = torch.Generator()\n1024\n```\n")
    assert "1024     0.22        0.97" in read_sheet(path, notebook).sections["Expected numbers"]


def test_misconceptions_are_those_of_the_class_if_it_is_graded(graded_class, tmp_path):
    name = "07_topic"
    from autograder.course.assignment import Assignment
    from autograder.course.typed_answers import typed_answers

    course = Course(shutil.copytree(graded_class.root, tmp_path / "course"))
    mine = frequent_mistakes(Assignment(course, name), Classroom(course), 8)
    assert mine.source == "Students of this class who made it, of 2 whose work was run."
    typed = frequent_mistakes(shared_assignment("04_attention"), Classroom(course, tmp_path), 8)
    count = len(typed_answers(shared_assignment("04_attention"), "wrong"))
    assert f"{count} wrong answers" in typed.source
    assert "not by students" in typed.source
    counts = [one.count for one in typed.frequent]
    assert counts == sorted(counts, reverse=True)
    assert all(one.hint for one in typed.frequent)


def test_a_course_without_written_parts_gets_what_its_notebooks_say(small_course, monkeypatch):
    monkeypatch.chdir(small_course.root)
    done = CliRunner().invoke(main, ["guide", "--no-pdf"])
    assert done.exit_code == 0, done.output
    folder = small_course.root / "reports" / "guide"
    assert {path.name for path in folder.iterdir()} == {"index.html", "07_topic.html"}
    page = (folder / "07_topic.html").read_text("utf-8")
    assert "average_<wbr>topic" in page
    assert "this holds solutions" in page
    assert "<script" not in page
    assert all(path.stat().st_mode & 0o077 == 0 for path in folder.iterdir())


def test_without_a_browser_a_sentence_says_that_only_html_was_written(small_course, monkeypatch):
    monkeypatch.chdir(small_course.root)
    monkeypatch.setattr(write_guide, "find_browser", lambda: None)
    done = CliRunner().invoke(main, ["guide"])
    assert "only HTML was written: no Chromium or Chrome was found" in done.output
    assert done.exit_code == 0


def test_a_browser_that_cannot_print_is_named_in_one_sentence(tmp_path):
    (tmp_path / "page.html").write_text("x")
    with pytest.raises(
        MachineError, match=r"/bin/false could not print the guide \(.+\); the HTML"
    ):
        print_pdf.print_pdf("/bin/false", tmp_path / "page.html")


def test_a_folder_that_students_or_the_public_see_is_refused(small_course):
    for folder in (small_course.notebooks, small_course.package, small_course.root / "docs/x"):
        with pytest.raises(ClassError, match="the guide has solutions; write it elsewhere"):
            write_guide.write_guide(small_course, ["07_topic"], output=folder)


def test_nothing_of_the_guide_is_in_the_handout_or_the_students_repository(tmp_path, monkeypatch):
    monkeypatch.setattr("autograder.authoring.bundle.build_wheels", lambda *_, **__: [])
    lines = {
        line.strip()
        for path in COURSE.guide.rglob("*.md")
        for line in path.read_text("utf-8").splitlines()
        if len(line) > 60
    }
    assert len(lines) > 300
    for make, place in ((make_bundle, tmp_path / "handout"), (make_repository, tmp_path / "repo")):
        names = make(COURSE, place)
        assert not [name for name in names if "guide" in name or "exam" in name]
        for path in place.rglob("*"):
            if path.suffix in (".md", ".ipynb", ".txt", ".html", ".py", ".toml"):
                text = path.read_text("utf-8")
                assert not [line for line in lines if line in text], path


def test_no_pattern_of_the_site_and_no_wheel_takes_a_file_of_the_guide():
    files = [p.relative_to(ROOT).as_posix() for p in COURSE.guide.rglob("*") if p.is_file()]
    conf = (ROOT / "docs" / "conf.py").read_text("utf-8")
    patterns = re.search(r"include_patterns = \[(.*?)\]", conf, re.S)[1]
    for pattern in re.findall(r'"([^"]+)"', patterns):
        assert not fnmatch.filter(files, pattern), pattern
    assert "guide/" not in conf
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    assert 'packages = ["coursekit"]' in project
    assert 'only-include = ["coursekit", "hatch_build.py"]' in project


@pytest.mark.slow
@pytest.mark.skipif(BROWSER is None, reason="there is no browser")
@pytest.mark.parametrize("assignment", ASSIGNMENTS)
def test_a_sheet_has_two_printed_pages(assignment, tmp_path):
    page = write_guide.as_html(COURSE, "one", [sheet(assignment)], {}, [], [], [])
    page = re.sub(r"<header>.*?</header>", "", page, flags=re.S)
    (tmp_path / "page.html").write_text(
        re.sub(r'<article class="marking.*?</article>', "", page, flags=re.S)
    )
    assert print_pdf.count_pages(print_pdf.print_pdf(BROWSER, tmp_path / "page.html")) <= 2


def test_six_projects_have_data_a_measured_baseline_milestones_and_a_rubric():
    measured = json.loads((COURSE.guide / "projects" / "baselines.json").read_text("utf-8"))
    projects = write_guide.read_projects(COURSE)
    assert len(projects) == len(measured) == 6
    for project, (name, numbers) in zip(projects, measured.items()):
        for part in ("**Data.**", "**Baseline.**", "**Milestones.**", "**Rubric ("):
            assert part in project.text, project.name
        assert f"`python baselines.py {name}`" in project.text
        assert [value for value in numbers.values() if value not in project.text] == []
        total, rows = re.search(r"\*\*Rubric \((\d+) points", project.text)[1], project.text
        assert sum(map(int, re.findall(r"^\| (\d+) \|", rows, re.M))) == int(total)
        assert len(project.text.split()) < 480  # a page


def test_a_brief_that_quotes_what_was_not_measured_is_refused(tmp_path):
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    (tmp_path / "guide" / "projects").mkdir(parents=True)
    (tmp_path / "guide" / "projects" / "1_x.md").write_text("# X\nIt gets {tags: all words}.\n")
    with pytest.raises(CourseError, match=r"baselines\.json has no \{tags: all words\}"):
        write_guide.read_projects(Course(tmp_path))


def test_the_baselines_are_the_projects_and_run_on_what_ships_where_it_does():
    text = (COURSE.guide / "projects" / "baselines.py").read_text("utf-8")
    imported = set(re.findall(r"^(?:    )?(?:    )?(?:from|import) (\w+)", text, re.M))
    assert imported - {"__future__"} <= {
        *("json", "math", "sys", "time", "collections", "pathlib"),
        *("numpy", "sklearn", "coursekit", "sacrebleu"),
    }


def test_the_table_of_terms_has_each_track_and_number_of_credits():
    plans = write_guide.read_terms(COURSE)
    assert len(plans) == 15
    assert {(plan.weeks, plan.credits) for plan in plans} == {(6, 3), (10, 6), (14, 9)}
