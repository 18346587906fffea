"""What a submission may do, send and take: every limit of the engine, with its unit and its reason.

The sandbox shows this file too, because the child limits itself; so it imports nothing. What a *check*
accepts of an answer, in a notebook and in the judge alike, is limited in `helpers/checking/limits.py`:
students have that folder, and none of the engine.
"""

# -- time (`grading/clock.py`) -------------------------------------------------------------------------------

CELL_SECONDS = 20.0  # of CPU time, for one cell; a course or --seconds can set another
NOTEBOOK_SECONDS = 120.0  # of CPU time, for all cells; in proportion more where a cell may run longer
BRIEF_SECONDS = 2.0  # of CPU time, for a call of an answer that has used up a cell's time in its own check
NO_LIMIT_SECONDS = 600.0  # of CPU time, where a course sets no limit: something has to end an endless loop
GRACE_SECONDS = 2.0  # of CPU time, from an interrupt to the kill
WALL_PER_CPU = 3  # wall seconds for each second of CPU time, for a cell that only waits
WAIT_SECONDS = 2.0  # of neither running nor queueing, for each cell after one that only waited
HELD = 0.25  # of a cell's wall time: if the machine held it up for less, running it again won't help
LISTEN_SECONDS = 60.0  # of wall time, for a child to read what it is sent: it has nothing else to do

# -- memory, files and threads (`child/sandbox.py`, `grading/cgroups.py`) ------------------------------------

MEMORY_BYTES = 3 << 30  # beyond what the worker itself has mapped
FOLDER_BYTES = 64 << 20  # of the child's folder and /tmp together, which are in memory
FOLDER_FILES = 10_000  # in each file system that the child may write to
SHARED_BYTES = 1 << 20  # of /dev/shm
COPIED_BYTES = 1 << 20  # of a file that was given out and that code may write to; a larger one is linked
DESCRIPTORS = 256  # files, sockets and pipes that are open at once
SIGNALS = 64  # sent to itself and not yet handled; Linux counts those of all processes of an account
THREADS = 500
WORKER_BYTES = MEMORY_BYTES + (1 << 30)  # so that a submission gets its MemoryError before it is ended
WORKER_THREADS = THREADS + 50  # with what the worker and bubblewrap have

# -- what is handed in (`grading/handed_in.py`, `classroom/collect.py`, `classroom/placing.py`) --------------

MAX_NOTEBOOK = 256 << 20  # bytes, outputs and all
LARGE_NOTEBOOK = 20 << 20  # bytes: if it has more, a remark says that its outputs were dropped
MAX_JSON_PARTS = 5_000_000  # lists and objects in its JSON, and half of what they hold: larger in memory
MAX_CELLS = 2000
MAX_NOTEBOOK_TEXT = 4 << 20  # characters of all cells together
MAX_ANSWER = 200_000  # characters, of a cell of the course's that was edited, too
MAX_PICTURES = 12  # in the written answers of a notebook
MAX_PICTURES_BYTES = 12 << 20  # of all of them together: two photos or three, or many drawings
MAX_PIXELS = 64_000_000  # of one picture: 200 MB while it is decoded
PICTURE_SIDE = 1600  # pixels of its longer side as it is shown
PNG_BYTES = 1_000_000  # of a picture as it is shown: a PNG that takes more is a photo, and becomes a JPEG
MAX_FILES = 50  # beside the notebook, whether handed in or written by its cells
MAX_FILES_BYTES = 8 << 20  # of all of them together
MAX_FILES_DEPTH = 100  # folders in folders
MAX_NAME = 200  # characters in the path of a file that cells wrote
MAX_ENTRIES = 10_000  # files and folders of one submission that `collect` copies
METADATA_BYTES = 256 << 20  # of a platform's list of a class's submissions, with all results of its tests
MAX_NOTES = 20  # remarks on one submission

# -- what a child sends (`child/wire.py`, `child/shell.py`, `grading/judge.py`) ------------------------------

MAX_FRAME = 32 << 20  # bytes of a message; a check's outcomes take some thousands
MAX_FRAME_PARTS = 1_000_000  # lists and objects in a message: in memory, each takes 20 times its text
MAX_VALUES = 5_000  # in what an answer returns, tensors and lists counted, where lessons ask for dozens
MAX_ERROR = 1_000  # characters of each text about a call: the exception, its message, its line
MAX_PRINTED = 100_000  # characters that one cell may print
MAX_DISPLAYED = 4_000_000  # characters that one cell may display
OUTPUT_CHARACTERS = 64_000_000  # of all cells together, as they stand in a page
COLOUR_COST = 100  # characters that each change of colour counts for there
OUTPUT_COST = 1_000  # characters that each output counts for besides: many small ones fill memory

# -- what others open as a page (`grading/clean.py`) ---------------------------------------------------------

MAX_HTML = 500_000  # characters of one cell: cleaning can take their square
MAX_TAGS = 5_000  # tags of one cell, for the same reason
MAX_TAG_DEPTH = 100  # tags in tags: at some hundred, browsers give a page up
MAX_COLOURS = 2_000  # sequences that colour text, in one cell
MAX_COPIED = 20_000_000  # such sequences times characters: at each, nbconvert copies the text that follows
MAX_FORMULAS = 500  # signs of a formula, in one cell of text
MAX_SEARCHED = 20_000_000  # such signs times characters: from each, nbconvert looks for the formula's end
MAX_WORDS = 50_000  # characters of a cell of text
MAX_CODE = 20_000  # characters of a cell of code: colouring can take the square of its length
MAX_ADDED = 500_000  # characters of all cells that a student added: ten seconds or so of drawing
