"""Feedback on its way back to where submissions came from: as zips whose names Canvas and Moodle know.

Canvas looks for the numbers of the user and of a file that was handed in (app/models/abstract_assignment.rb),
Moodle for the number in its own folder's name (mod/assign/feedback/file/importziplib.php).
"""

import sys
import zipfile
from collections import defaultdict
from io import BytesIO
from pathlib import Path

from nbgrader.coursedir import CourseDirectory

from autograder.classroom.course import find_submissions
from autograder.classroom.feedback import MADE_FROM, digest_of
from autograder.classroom.intake import read_kept
from autograder.lessons import counted, first_of
from helpers.storage import write_whole

UPLOAD = {
    "canvas": "upload it in Canvas's gradebook, with Upload Submissions in the assignment's menu. Canvas "
    "gives each page the name of the file that was handed in: to open it, students change .ipynb to .html",
    "moodle": "upload it in Moodle's list of submissions, with Upload multiple feedback files in a zip",
    "students": "it has a folder for each student",
}


def zip_feedback(lesson: str, course: CourseDirectory) -> int:
    """Write a zip for each platform that submissions of a lesson came from, and say where to upload it.

    Args:
        lesson: its name.
        course: whose pages these are.

    Returns:
        The exit code: 1 if a submission has no page, or one that is older than its grades.
    """
    kept = read_kept(course).get(lesson, {})
    zips: dict[str, dict[str, bytes]] = defaultdict(dict)
    missing, stale = [], []
    for submission in find_submissions(course, lesson, []):
        student = submission.student
        pages, graded = (
            Path(course.format_path(folder, student, lesson))
            for folder in (course.feedback_directory, course.autograded_directory)
        )
        found = sorted(pages.glob("*.html"))
        if not found:
            missing.append(student)
        elif any(_is_stale(page, graded / f"{page.stem}.ipynb") for page in found):
            stale.append(student)
        else:
            about = kept.get(student, {})
            form = about.get("form") if about.get("back") else ""
            for page in found:
                zips[form or "students"][_name(form or "", about, student, page.name)] = page.read_bytes()
    for form, files in sorted(zips.items()):
        path = Path(course.root, "reports", f"{lesson}_feedback_{form}.zip")
        write_whole(path, _zipped(files))
        print(f"headstart: {path.relative_to(course.root)}, {counted(len(files), 'page')}: {UPLOAD[form]}")
    for students, what, cure in (
        (missing, "no page yet", ""),
        (stale, "a page that is older than its grades", " --force"),
    ):
        if students:
            who = first_of(students, ", ") if zips else "everybody"
            again = f"call `nbgrader generate_feedback {lesson}{cure}` first"
            print(f"headstart: left out, with {what}: {who}; {again}", file=sys.stderr)
    return 1 if missing or stale else 0


def _name(form: str, about: dict[str, str], student: str, page: str) -> str:
    """What a page is called in a zip."""
    if form == "canvas":
        return f"{about['back']}_{page}"
    return f"{about['back'] if form == 'moodle' else student}/{page}"


def _is_stale(page: Path, notebook: Path) -> bool:
    """Whether a page was made from another result than is there now, by no clock: that may be set back."""
    found = MADE_FROM.search(page.read_bytes())
    return notebook.exists() and (not found or found[1].decode() != digest_of(notebook))


def _zipped(files: dict[str, bytes]) -> bytes:
    content = BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, page in files.items():
            archive.writestr(name, page)
    return content.getvalue()
