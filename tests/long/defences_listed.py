"""The grader's defences, and the tests that show each of them: what tests/long/defences.py takes out.

A row is a name, the text that is the defence, what would stand there without it, and the tests that fail then,
divided by `|`.

The tests named here run without the defence that they are about: they must do no harm then. No trick that
kills whatever it finds, fills what there is or starts processes without end may be named.
"""

import os

Row = tuple[str, str, str, str]

# -- the sandbox -----------------------------------------------------------------------------------------

UNSHARED = {
    kind: f'"--unshare-{kind}{"-try" if kind in ("cgroup", "user") else ""}"'
    for kind in ("cgroup", "ipc", "net", "pid", "user", "uts")
}
# An ordinary user gets a user namespace from bubblewrap, asked for or not.
TAKEN = [kind for kind in UNSHARED if kind != "user" or os.getuid() == 0]

BUBBLEWRAP = [
    *(
        (
            f"bubblewrap: {kind} namespace", '"--unshare-all"',
            ", ".join(option for other, option in UNSHARED.items() if other != kind),
            f"a_worker_has_namespaces_of_its_own[{kind}]",
        )
        for kind in TAKEN
    ),
    (
        "bubblewrap: no network", '"--unshare-all"', '"--unshare-all", "--share-net"',
        "a_worker_reaches_no_socket_of_this_machine",
    ),
    (
        "bubblewrap: no processes", '"--unshare-all"',
        ", ".join(option for kind, option in UNSHARED.items() if kind != "pid"),
        "a_worker_finds_no_process_of_this_machine",
    ),
    ("bubblewrap: ends with its grader", '"--die-with-parent", ', "", "a_worker_ends_with_its_grader"),
    ("bubblewrap: no terminal", '"--new-session", ', "", "a_worker_has_no_terminal"),
    ("bubblewrap: no environment", '"--clearenv", ', "", "a_worker_gets_nothing_of_the_users_environment"),
    ("bubblewrap: no name", '"--hostname", "sandbox",', "", "a_worker_does_not_learn_the_machines_name"),
    (
        "bubblewrap: what is shown is read-only", '_each("--ro-bind", seen.files)', '_each("--bind", seen.files)',
        "a_worker_may_write_in_one_folder",
    ),
    (
        "bubblewrap: the stage is read-only", '"--ro-bind", str(stage)', '"--bind", str(stage)',
        "a_worker_may_write_in_one_folder",
    ),
    *(
        (
            f"bubblewrap: {what} read-only", '(*hidden, "/dev", "/tmp", "/")', f"({rest})",
            "a_worker_may_write_in_one_folder",
        )
        for what, rest in {
            "hidden folders are": '"/dev", "/tmp", "/"',
            "/dev is": '*hidden, "/tmp", "/"',
            "/tmp is": '*hidden, "/dev", "/"',
            "/ is": '*hidden, "/dev", "/tmp"',
        }.items()
    ),
    (
        "bubblewrap: hides", ", *_inside(hide, seen.files)]", "]",
        "a_hidden_folder_is_empty[of the system]|a_hidden_folder_is_empty[of Python]",
    ),
    (
        "bubblewrap: few devices", '"--dev", "/dev"', '"--dev-bind", "/dev", "/dev"',
        "a_worker_sees_few_devices",
    ),
]  # fmt: skip

SEES = "a_worker_sees_the_files_that_python_needs_and_no_others"
ANY_PYTHON = "any_python_starts_behind_the_wall"
SEEN = [
    *(
        (f"shown: nothing but what is needed, {place}", '"/usr/share/fonts", ', f'"/usr/share/fonts", "{place}", ', SEES)
        for place in ("/usr", "/etc", "/usr/bin")
    ),
    (
        "shown: no packages of the base interpreter", "tuple(sorted(place for place in others if os.path.isdir(place)))",
        "()", SEES,
    ),
    ("shown: an environment's settings", "files |= {config: config, **", "files |= {**", f"{ANY_PYTHON}[another environment]"),
]  # fmt: skip

OWN = "own_namespaces(CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWNET)"
SPACES = "a_child_has_namespaces_of_its_own"
CHILD = [
    (
        "child: user namespace",
        '    _call("unshare", CLONE_NEWUSER | others)\n'
        '    Path("/proc/self/setgroups").write_text("deny")\n'
        '    Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1")\n'
        '    Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1")\n',
        '    _call("unshare", others)\n    print(uid, gid)\n', f"{SPACES}[user]",
    ),
    (
        "child: pid namespace", '_call("unshare", CLONE_NEWPID)', "pass",
        f"{SPACES}[pid]|a_child_finds_no_other_process",
    ),
    ("child: mount namespace", OWN, OWN.replace("CLONE_NEWNS | ", ""), f"{SPACES}[mnt]"),
    (
        "child: ipc namespace", OWN, OWN.replace(" | CLONE_NEWIPC", ""),
        f"{SPACES}[ipc]",
    ),
    ("child: net namespace", OWN, OWN.replace(" | CLONE_NEWNET", ""), f"{SPACES}[net]"),
    (
        "child: folder of its own", "        (WRITABLE, FOLDER_BYTES, 0),\n", "",
        "a_child_leaves_no_file_to_the_next[/submission]",
    ),
    (
        "child: bytes in files", "size={size},nr_inodes", "nr_inodes",
        "a_childs_files_take_no_more_than_they_may[/submission]"
        "|a_childs_files_take_no_more_than_they_may[/dev/shm]",
    ),
    ("child: number of files", ",nr_inodes={FILES}", "", "a_child_has_only_so_many_files"),
    ("child: nothing of /proc", '        ("/proc", 4096, MS_RDONLY),\n', "", "a_child_sees_nothing_of_proc"),
    (
        "child: /proc is read-only", '("/proc", 4096, MS_RDONLY)', '("/proc", 4096, 0)',
        "a_child_sees_nothing_of_proc",
    ),
    *(
        (
            f"child: {name}", "flags | MS_NOSUID | MS_NODEV", f"flags | {other}",
            "what_a_child_writes_is_no_device_and_gives_nobody_rights",
        )
        for name, other in {"nosuid": "MS_NODEV", "nodev": "MS_NOSUID"}.items()
    ),
    *(
        (f"child: {name}", text, without, f"a_child_has_its_limits_and_cannot_raise_them[{name}]")
        for name, text, without in (
            ("RLIMIT_CORE", '"RLIMIT_CORE": 0, ', ""),
            ("RLIMIT_FSIZE", '"RLIMIT_FSIZE": FOLDER_BYTES, ', ""),
            ("RLIMIT_NOFILE", ', "RLIMIT_NOFILE": 256', ""),
            ("RLIMIT_NPROC", 'limits["RLIMIT_NPROC"] = THREADS', "pass"),
        )
    ),
    (
        "child: RLIMIT_AS", 'limits["RLIMIT_AS"] = mapped + MEMORY_BYTES', "pass",
        "a_childs_memory_is_bounded",
    ),
    (
        "child: the first to go", 'file.write(b"1000")', 'file.write(b"0")',
        "where_memory_runs_out_a_child_is_the_first_to_go",
    ),
    (
        "child: limits that stay", "(value, value)",
        "(value, resource.getrlimit(getattr(resource, name))[1])",
        "a_child_has_its_limits_and_cannot_raise_them",
    ),
    ("child: no capabilities", '_call("capset", header, nothing)', "pass", "a_child_has_no_capabilities"),
    (
        "child: no new privileges", '_call("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)', "pass",
        "programs_give_no_new_privileges",
    ),
    (
        "child: filter", '_call("prctl", PR_SET_SECCOMP, 2, length_and_address, 0, 0)', "print(length_and_address)",
        "the_kernel_refuses_them_all|python_starts_threads_and_nothing_else",
    ),
]  # fmt: skip

NO = "student_code_gets_no"
FILTER = [
    (
        "filter: other machines' numbers",
        "(load, 0, 0, 4), (equal, 1, 0, AUDIT_ARCH[machine]), (answer, 0, 0, kill),", "",
        "calls_by_other_numbers_are_refused",
    ),
    (
        "filter: x32 numbers", "(at_least, 0, 1, 0x40000000), (answer, 0, 0, errno(EPERM)),", "",
        "calls_by_other_numbers_are_refused",
    ),
    (
        "filter: clone3", "(equal, 0, 1, CLONE3[column]), (answer, 0, 0, errno(ENOSYS)),", "",
        "threads_start_and_processes_do_not",
    ),
    (
        "filter: clone",
        "(equal, 0, 4, CLONE[column]), (load, 0, 0, 16), (bits, 1, 0, CLONE_THREAD),\n"
        "        (answer, 0, 0, errno(EPERM)), (answer, 0, 0, allow),",
        "", "threads_start_and_processes_do_not",
    ),
    (
        "filter: sockets",
        "        (equal, 0, 6, SOCKET[column]), (load, 0, 0, 16),\n"
        "        (equal, 2, 0, unix), (equal, 1, 0, ipv4), (equal, 0, 1, ipv6),\n"
        "        (answer, 0, 0, allow), (answer, 0, 0, errno(EPERM)),\n",
        "", "sockets_are_of_families_that_end_in_their_network",
    ),
    *(
        (f"filter: {what}", "ALLOWED = {\n", f'ALLOWED = {{\n    "more": {numbers},\n', f"{NO}[{what}-x86_64]")
        for what, numbers in {
            "processes": (57, None), "programs": (59, 221), "memory and descriptors of others": (101, 117),
            "other files": (165, 40), "other namespaces": (272, 97), "other users": (105, 146), "keys": (250, 219),
            "the kernel's own machines": (321, 280), "files in memory that nothing counts": (319, 279),
            "memory, semaphores and messages that stay": (29, 194), "calls that no filter sees": (425, 425),
            "what is counted for the whole machine": (206, 0), "a larger share of the machine": (203, 122),
            "the kernel itself": (175, 105),
        }.items()
    ),
    (
        "filter: what isn't named", "        (answer, 0, 0, errno(EPERM)),\n    ]  # fmt: skip\n    return",
        "        (answer, 0, 0, allow),\n    ]  # fmt: skip\n    return", "what_is_not_allowed_is_refused",
    ),
    (
        "filter: leases, watches and sizes of pipes", "(72, 25), (1024, 1026, 1031)", "(72, 25), (999, 998, 997)",
        "descriptors_hold_up_and_watch_nobody_else",
    ),
    ("filter: later calls", "(at_least, 0, 1, LATER), (answer, 0, 0, errno(ENOSYS)),", "", "what_is_not_allowed_is_refused"),
    ("filter: numbers", '"read": (0, 63)', '"read": (0, 64)', "calls_have_the_numbers_that_libseccomp_knows"),
]  # fmt: skip

DOOR = "a_child_has_one_door"
DESCRIPTORS = [
    (
        "child: what was given out stays", "if name not in given:", "if True:",
        "a_file_that_was_given_out_is_not_replaced",
    ),
    (
        "child: no modules of ours in a plain assignment", "        _forget_ours()", "        pass",
        "an_assignment_of_somebody_else_finds_no_module_of_ours",
    ),
    ("child: not the worker's channel", "            control.close()\n", "", DOOR),
    (
        "child: not its keeper's pipe, to read", "            os.close(report)\n            _student(",
        "            _student(", DOOR,
    ),
    ("child: not its keeper's pipe, to write", "    os.close(report)\n    try:  # from", "    try:  # from", DOOR),
    (
        "child: not the worker's log", "        os.dup2(nowhere, fd)", "        pass",
        f"{DOOR}|a_child_writes_nothing_into_its_workers_log",
    ),
    ("child: bounds", "    sandbox.bound_resources(sandboxed)\n", "", "a_childs_memory_is_bounded"),
    ("child: namespaces", "        sandbox.enter_namespaces()\n", "        pass\n", f"{SPACES}[mnt]"),
    ("child: doors closed", "        sandbox.close_doors()\n", "        pass\n", "the_kernel_refuses_them_all"),
]  # fmt: skip

STARTED = [
    (
        "worker: no descriptors of the grader's", "pass_fds=[theirs.fileno()],",
        'pass_fds=[theirs.fileno(), *(n for n in range(3, 99) if Path(f"/proc/self/fd/{n}").exists())],', DOOR,
    ),
]  # fmt: skip
STAGED = [
    (
        "worker: nothing of the engine but the child's",
        'shutil.copytree(CHILD, stage / "autograder" / CHILD.name, ignore=no_caches)',
        'shutil.copytree(CHILD.parent, stage / "autograder", ignore=no_caches)',
        "no_trick_reads_what_it_should_not[imports_the_exercises]",
    ),
    (
        "worker: what is handed in doesn't pass through it", '{"folder": folder, "plain": self.plain, ',
        '{"folder": folder, "plain": self.plain, "too": {n: c.hex() for n, c in (files or {}).items()}, ',
        "no_trick_reads_what_it_should_not[memory_that_others_left]",
    ),
]  # fmt: skip
HIDDEN = [
    (
        "worker: the course is hidden", "hide = (self.root, *elsewhere, lessons.ROOT)", "hide = ()",
        "a_course_inside_a_folder_that_has_to_be_shown_is_hidden",
    ),
]  # fmt: skip

# -- what crosses the line -------------------------------------------------------------------------------

WIRE = [
    ("wire: length", "    if size > MAX_FRAME:", "    if False:", "a_broken_frame_says_what_is_wrong[too long]"),
    ("wire: length of ours", "    if len(body) > MAX_FRAME:", "    if False:", "a_message_over_the_limit_is_not_sent"),
    (
        "wire: parts", '    if body.count(b"{") + body.count(b"[") > MAX_PARTS:', "    if False:",
        "a_message_of_too_many_parts_is_refused",
    ),
    (
        "wire: depth", "except (ValueError, RecursionError) as", "except ValueError as",
        "a_broken_frame_says_what_is_wrong[nested]",
    ),
    (
        "wire: what is no JSON", "except (ValueError, RecursionError) as", "except RecursionError as",
        "any_bytes_are_a_message_or_a_wire_error",
    ),
    (
        "wire: time for all of it", "max(deadline - time.monotonic(), 1e-3))", "1)",
        "a_message_in_drops_times_out",
    ),
    ("wire: time to listen", "channel.settimeout(seconds)", "channel.settimeout(None)", "who_does_not_read_holds_nobody_up"),
]  # fmt: skip

STRANGE = "what_is_no_outcome_is_refused"
OUTCOMES = [
    ("outcome: a dict", "not isinstance(value, dict) or not set(value)", "not set(value)", f"{STRANGE}[no dict]"),
    (
        "outcome: known parts", " or not set(value) <= set(cls.__dataclass_fields__)", "",
        f"{STRANGE}[unknown parts]",
    ),
    (
        "outcome: texts", " or not all(isinstance(text, str) for text in texts)", "",
        f"{STRANGE}[another text]|{STRANGE}[another message]|{STRANGE}[another line]",
    ),
    (
        "outcome: lists", "if not all(isinstance(item, list) for item in lists):", "if False:",
        f"{STRANGE}[inputs in a dict]|{STRANGE}[gradients in a text]",
    ),
    (
        "outcome: size", 'if not isinstance(value.get("largest", 0), int):', "if False:",
        f"{STRANGE}[a size in a text]",
    ),
]  # fmt: skip

MALFORMED = "malformed_data_is_refused"
VALUES = [
    ("values: depth", "if depth > MAX_DEPTH + 2:", "if False:", "data_nested_too_deep_is_refused"),
    (
        "values: integers", "if isinstance(value, int) and not -MAX_INTEGER < value < MAX_INTEGER:", "if False:",
        MALFORMED,
    ),
    ("values: dtype", "if dtype is None or not isinstance(shape", "if not isinstance(shape", MALFORMED),
    ("values: shape", "if len(shape) > 16 or not all(", "if not all(", MALFORMED),
    ("values: numbers only", "if not set(map(type, data)) <= {int, float, bool}:", "if False:", MALFORMED),
    (
        "values: numbers that fit", "except (RuntimeError, OverflowError, TypeError, ValueError) as",
        "except KeyError as", MALFORMED,
    ),
]  # fmt: skip
VALUES_OF_STRANGERS = [
    ("values: types", 'if not isinstance(value["$type"], str):', "if False:", f"{STRANGE}[a type that is no text]"),
    (
        "values: size of a tensor", "!= len(data) or len(data) > MAX_ELEMENTS:", "!= len(data):",
        "a_tensor_beyond_measure_is_refused",
    ),
    (
        "values: half characters",
        'return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")', "return text",
        "half_characters_go_no_further",
    ),
]  # fmt: skip

GIVEN_UP, BOUNDS = (
    "whoever_does_not_end_is_interrupted_once_and_given_up",
    "whoever_displays_without_end_is_stopped",
)
NAMED = "an_answer_that_names_a_forbidden_function_fails_whatever_its_outcomes"
OUT_OF_TURN = "whoever_speaks_out_of_turn_is_stopped"
JUDGE = [
    (
        "judge: the exercise is the lesson's", "            self._answer(cell)",
        '            self._answer(Cell(cell.id, cell.source, message["ask"], cell.answer))',
        "which_exercise_a_check_is_about_is_not_asked",
    ),
    (
        "judge: once", "question.sheets and cell.exercise not in self.verdicts:",
        "question.sheets:", "the_first_outcomes_count",
    ),
    (
        "judge: hidden cases", "hidden = sheets.hidden()", "hidden = visible",
        "the_hidden_cases_decide",
    ),
    (
        "judge: hidden numbers", "assess(sheets.explained(), outcomes, reveal=False, ", "assess(sheets.explained(), outcomes, ",
        "hidden_numbers_stay_hidden",
    ),
    (
        "judge: forbidden names", "use = forbidden_use(self.ran, question.id, hidden.forbidden)", "use = None",
        NAMED,
    ),
    (
        "judge: a message is a dict", "if not isinstance(message, dict):", "if False:",
        f"{OUT_OF_TURN}[a number]",
    ),
    ("judge: in turn", 'if "ask" not in message:', "if False:", f"{OUT_OF_TURN}[a verdict]"),
    (
        "judge: a list of outcomes", "not isinstance(raw, list) or not", "not",
        f"{OUT_OF_TURN}[a verdict for outcomes]",
    ),
    ("judge: no fewer than one", "not 0 < len(raw) <= wanted", "not len(raw) <= wanted", f"{OUT_OF_TURN}[no outcomes]"),
    ("judge: no more than cases", "not 0 < len(raw) <= wanted", "not 0 < len(raw)", "outcomes_are_as_many_as_cases[more]"),
    (
        "judge: no fewer than cases", "if len(outcomes) < wanted and outcomes[-1].status not in ENDS:", "if False:",
        "outcomes_are_as_many_as_cases[fewer]",
    ),
    (
        "judge: malformed outcomes", "except (TypeError, ValueError, AttributeError, KeyError, RecursionError) as",
        "except KeyError as", f"{OUT_OF_TURN}[outcomes that are none]",
    ),
    (
        "judge: length of texts",
        "long = any(len(text) > 1000 for text in (outcome.error, outcome.message, outcome.where))", "long = False",
        "a_text_without_end_is_no_outcome",
    ),
    ("judge: outputs are cleaned", 'clean_outputs(message["done"])', 'message["done"]', "what_a_cell_displays_is_cleaned"),
    ("judge: room for outputs", "if self.room < 0:", "if False:", BOUNDS),
    ("judge: number of outputs", " + len(outputs) * OUTPUT_COST", "", BOUNDS),
    ("judge: no cell after that", "if self.clock.notebook_is_over:", "if False:", "a_notebook_has_its_time"),
    (
        "judge: time of whoever talks on", "while left := self.clock.left():", "while left := self.clock.left() or 1:",
        f"{GIVEN_UP}[asks on]",
    ),
    (
        "judge: gives up", "            if self.interrupted:\n                raise", "            if False:\n                raise",
        f"{GIVEN_UP}[is silent]",
    ),
]  # fmt: skip

CPU_TIME = "a_cell_has_its_cpu_time_whatever_its_share_of_a_core_is"
CLOCK = [
    ("clock: CPU time", "if self._used >= self._limit:", "if self._at_most() >= 1e9:", CPU_TIME),
    ("clock: it isn't time", "self._used, queued = self._child.times()", "self._used, queued = self._at_most(), self._child.times()[1]", CPU_TIME),
    ("clock: not what it queues", "more, self._queued = time.monotonic(), queued - self._queued, queued", "more = time.monotonic(), 0.0", "a_cell_that_others_keep_waiting_has_its_cpu_time_too"),
    ("clock: the net", "self._ends = time.monotonic() + NET * seconds", "self._ends = 1e9", "who_waits_is_stopped_by_the_net"),
    ("clock: in doubt for the student", "self._limit = self._at_most() + seconds", "self._limit = self._used + seconds", "a_cell_gets_no_less_because_of_the_cells_before"),
    ("clock: of a notebook", "self._limit, self._ends = min(self._limit, self.notebook_seconds), min(self._ends, self._net)", "pass", "a_notebook_has_its_cpu_time_in_all_its_cells"),
    ("clock: not the judge's", "ours = time.monotonic() - begun", "ours = 0.0", "what_the_judge_does_takes_none_of_the_childs_time"),
    ("clock: alone", "fcntl.LOCK_EX if alone else fcntl.LOCK_SH", "fcntl.LOCK_SH", "who_runs_alone_waits_for_the_others_and_holds_up_those_who_come_later"),
]  # fmt: skip
AT_ANY_MOMENT, LATE = (
    "an_interrupt_at_any_moment_breaks_no_message",
    "an_interrupt_that_comes_late_ends_no_other_cell",
)
INTERRUPTS = [
    ("interrupts: of the cell before", "        self._waiting = self._spent = False\n\n    def _hear", "        pass\n\n    def _hear", LATE),
    ("interrupts: not between cells", "if self._open and self._waiting:", "if self._waiting:", LATE),
    ("interrupts: not in a message", "before, self._open = self._open, False", "before = self._open", AT_ANY_MOMENT),
]  # fmt: skip
FIRST_MOMENTS = [
    ("interrupts: from the fork on", "    interrupts.listen()  # here", "    # here", "an_interrupt_that_comes_before_all_else_ends_no_child"),
]  # fmt: skip
SHARES = [
    ("child: a session of its own", "    os.setsid()  #", "    pass  #", "signals_to_its_group_reach_the_child_alone"),
    ("child: one core", 'if request["core"] is not None:', "if False:", "a_child_has_one_core_and_no_other_worker_has_it"),
]  # fmt: skip

TRICKED = [
    (
        "judge: forbidden names, tried", "use = forbidden_use(self.ran, question.id, hidden.forbidden)",
        "use = None",
        "no_trick_gains_a_mark[takes_the_watch_apart]",
    ),
]  # fmt: skip

USED = "what_leads_to_a_forbidden_function_is_found"
REACHED = [
    ("reached: other letters", "cell.isascii() and ", "", "a_name_in_other_letters_is_the_same_name"),
    ("reached: in functions", "for each in found.later]", "for each in ()]", f"{USED}[in a function of theirs]"),
    ("reached: at once", "for each in found.now]", "for each in ()]", f"{USED}[an object]"),
    ("reached: packages", "if package in self.packages:", "if False:", f"{USED}[a whole library]"),
    ("reached: star imports", "mention.root in self.last and self.stars", "False", f"{USED}[all of a module]"),
    ("reached: methods", "found = next((part for part in mention.path", "found = next((part for part in ()",
     f"{USED}[a method]"),
]  # fmt: skip
NAMES_IN_CODE = [
    ("names: getattr", 'if called == "getattr" and', "if False and", f"{USED}[getattr]"),
    ("names: methodcaller", "elif called in LOOKUPS and texts:", "elif False:", f"{USED}[methodcaller]"),
    ("names: __dict__", "if isinstance(key, str):", "if False:", f"{USED}[__dict__]"),
    ("names: objects written into", "made.adds |= _written_into(part)", "pass", f"{USED}[a table]"),
    ("names: global", "if isinstance(each, ast.Global) for name in each.names}", "if False}", f"{USED}[global]"),
    ("names: magics", "elif magic := _cell_magic(node):", "elif magic := False:", f"{USED}[timed]"),
]  # fmt: skip

# -- what others open ------------------------------------------------------------------------------------

KEPT, WORDS = "displays_are_text_pages_and_pictures", "words_lose_what_would_run_or_take_long"
CLEAN_PAGES = [
    ("clean: tags", "tags=TAGS,", 'tags=TAGS | {"a"},', "pages_keep_their_looks_and_lose_what_runs"),
    ("clean: styles", "    filter_style_properties=STYLES,\n", "", "pages_keep_their_looks_and_lose_what_runs"),
    (
        "clean: pictures in pages", 'value if name != "src" or value.startswith(SOURCES) else None', "value",
        "pages_keep_their_looks_and_lose_what_runs",
    ),
    (
        "clean: pages stay in their place", '''f'<div style="overflow:auto">{page}</div>\'''', "page",
        "pages_keep_their_looks_and_lose_what_runs",
    ),
    ("clean: characters of pages", "len(pages) <= MAX_HTML and ", "", "too_much_html_in_a_cell_is_left_out"),
    ("clean: tags of pages", ' and pages.count("<") <= MAX_TAGS', "", "too_much_html_in_a_cell_is_left_out"),
    ("clean: depth of pages", "if _depth(page) <= MAX_DEPTH:", "if True:", "html_that_is_nested_deep_is_left_out"),
    (
        "clean: counts", "count if type(count) is int and count >= 0 else None", "count",
        "a_number_that_no_notebook_takes_is_none",
    ),
]  # fmt: skip
CLEAN = [
    ("clean: forms of displays", "elif mime in IMAGES and", "elif", KEPT),
    ("clean: pictures", r' and re.fullmatch(r"[A-Za-z0-9+/=\s]*", value)', "", KEPT),
    ("clean: number of colours", "colours <= MAX_COLOURS and ", "", "colours_beyond_their_bounds_are_dropped"),
    (
        "clean: colours in long texts", " and colours * sum(map(len, texts)) <= MAX_COPIED", "",
        "colours_beyond_their_bounds_are_dropped",
    ),
    ("clean: characters by number", r'    (r"&(?=#|\w+;)", "&amp;"),', "   ", WORDS),
    ("clean: tags in text", '    (r"<(?=[A-Za-z/!?])", "< "),', "   ", WORDS),
    ("clean: links", r'''    (rf"\](?=\((?!https?://|#|{FILE}\))|:)", "] "),''', "   ", WORDS),
    ("clean: links upwards", r"(?:(?!\.\.|%2[eE])[\w./%-])+", r"(?:[\w./%-])+", WORDS),
    (
        "clean: pictures from elsewhere",
        r'''    (rf"!(?=\[)(?!\[[^][\\`$]*\]\({PICTURE}\))", "! "),''', "", WORDS,
    ),
    ("clean: length of text", "if len(cell.source) > MAX_WORDS:", "if False:", WORDS),
    ("clean: number of formulas", "if signs > MAX_FORMULAS or signs", "if signs", WORDS),
    ("clean: formulas in long texts", " or signs * len(cell.source) > MAX_SEARCHED", "", WORDS),
    ("clean: code in text", r'    cell.source = FENCE.sub(r"\1", cell.source)', "", WORDS),
    ("clean: attachments", '    cell.pop("attachments", None)', "", WORDS),
    (
        "clean: length of code", "long = len(cell.source) > MAX_CODE or RUN", "long = RUN",
        "code_that_takes_long_to_colour_is_text[long]",
    ),
    (
        "clean: repeated characters", " or RUN.search(cell.source)\n", "\n",
        "code_that_takes_long_to_colour_is_text[dots]|code_that_takes_long_to_colour_is_text[blanks]",
    ),
]  # fmt: skip
FILES = [
    (
        "files: names", 'return name if Path(name).suffix.lower() in HARMLESS else f"{name}.txt"', "return name",
        "a_file_that_a_browser_would_run_is_kept_as_text",
    ),
]  # fmt: skip
SHOWN = [
    (
        "files: what a student wrote is cleaned",
        '(clean_words if cell.cell_type == "markdown" else clean_code)(cell)', "pass",
        "nothing_of_a_students_runs_in_a_page_that_others_open",
    ),
]  # fmt: skip

# -- what is handed in -----------------------------------------------------------------------------------

ALONG = "files_come_along_but_for_links_and_ours"
HANDED_IN = [
    ("handed in: hard links", "if status.st_nlink > 1:  # somebody", "if False:  # somebody", "a_hard_link_is_not_followed"),
    (
        "handed in: a folder that is a link",
        "if submission.folder.is_symlink() or submission.folder.parent.is_symlink():",
        "if submission.folder.parent.is_symlink():", "a_folder_that_is_a_link_is_not_followed",
    ),
    (
        "handed in: a student's folder that is a link",
        "if submission.folder.is_symlink() or submission.folder.parent.is_symlink():",
        "if submission.folder.is_symlink():", "a_folder_that_is_a_link_is_not_followed",
    ),
    (
        "handed in: size of a notebook", "if status.st_size > MAX_NOTEBOOK:", "if False:",
        "a_notebook_beyond_measure_is_not_read",
    ),
    ("handed in: folders that are links", "followlinks=False", "followlinks=True", ALONG),
    ("handed in: our own files", ', "checks.json")', ")", ALONG),
    ("handed in: our own modules", '"helpers", "__pycache__", ', "", ALONG),
    ("handed in: number of files", "len(files) >= MAX_FILES or", "", "only_so_many_files_come_along"),
    ("handed in: size of records", "if path.lstat().st_size < 1000 else", "if True else", ALONG),
    (
        "handed in: raw cells",
        'new_code_cell if cell.get("cell_type") == "code" else new_markdown_cell',
        '(lambda source, **how: nbformat.v4.new_raw_cell(source, **how)) if cell.get("cell_type") == "raw" '
        'else new_code_cell if cell.get("cell_type") == "code" else new_markdown_cell',
        "an_added_cell_is_code_or_text",
    ),
]  # fmt: skip
MERGED = [
    ("handed in: links", "os.O_NOFOLLOW | ", "", "links_and_folders_are_not_followed"),
    ("handed in: pipes", " | os.O_NONBLOCK", "", "links_and_folders_are_not_followed"),
    ("handed in: folders and devices", "if not stat.S_ISREG(status.st_mode):\n", "if False:\n", "links_and_folders_are_not_followed"),
    (
        "handed in: parts", 'content.count(b"{") + content.count(b"[") > MAX_PARTS or ', "",
        "more_parts_than_any_notebook_has_are_refused_before_they_take_memory",
    ),
    (
        "handed in: keys", ' or content.count(b",") > 2 * MAX_PARTS', "",
        "more_parts_than_any_notebook_has_are_refused_before_they_take_memory",
    ),
    ("handed in: depth", "except (ValueError, RecursionError) as", "except ValueError as", "what_can_t_be_graded_says_why"),
    ("handed in: number of cells", "if len(theirs) > MAX_CELLS:", "if False:", "what_can_t_be_graded_says_why"),
    (
        "handed in: length of cells", 'if sum(len(cell["source"]) for cell in theirs) > MAX_TEXT:', "if False:",
        "what_can_t_be_graded_says_why",
    ),
    ("handed in: length of an answer", "if long := [", "if long := False and [", "an_answer_of_a_book_is_refused"),
    (
        "handed in: answers alone", "answers = [cell for cell in result.notebook.cells if is_answer(cell)]",
        "answers = list(result.notebook.cells)", "edited_checks_and_prose_are_put_back",
    ),
    ("handed in: each cell once", "if known and known not in seen:", "if known:", "a_copy_is_a_cell_of_the_students_own_after_the_first"),
    ("handed in: size of files", " or total + status.st_size > MAX_FILES_BYTES", "", "other_files_come_along_within_bounds"),
    ("handed in: folders in folders", ">= MAX_DEPTH:", ">= 10 * MAX_DEPTH:", "folders_in_folders_without_end_are_left_out"),
    ("handed in: remarks", "result.notes[MAX_NOTES:] =", "result.notes[1000 * MAX_NOTES:] =", "remarks_have_an_end"),
]  # fmt: skip

# -- what is forbidden -----------------------------------------------------------------------------------

ASKED = "a_forbidden_function_does_what_is_asked"
FORBIDDEN = [
    ("forbidden: operators", "stack.enter_context(_WatchOperators(names))", "pass", ASKED),
    ("forbidden: calls", "stack.enter_context(_WatchCalls(names))", "pass", ASKED),
    (
        "forbidden: classes", 'for method in ("__init__", "forward"):', "for method in ():",
        f"{ASKED}[forbidden_class_by_alias]",
    ),
    ("forbidden: neighbours", "if wanted <= words", "if wanted == words", ASKED),
]  # fmt: skip
FORBIDDEN_NAMES = [
    (
        "forbidden: by name", "            _replace(stack, owner, attribute, _refuse(name))", "",
        "a_forbidden_name_raises_while_an_answer_runs_and_only_then",
    ),
]  # fmt: skip

DRIVERS = [
    (
        "drivers: as many draws as were asked for",
        'if driver == "draws" and len(outcome.outputs) != case.args[1] + 1:', "if False:",
        "fewer_draws_than_were_asked_for_are_none",
    ),
]  # fmt: skip
SHELL = [
    ("child: printed characters", "        if self.text > MAX_TEXT:", "        if False:", "output_is_bounded"),
    (
        "child: displayed characters",
        'if size > MAX_DATA or (self.data > MAX_DATA and output["output_type"] == "display_data"):', "if False:",
        "output_is_bounded",
    ),
]  # fmt: skip
COUNTS = "an_error_counts_however_it_is_hidden"
RAISED = [
    ("plain: an error that isn't shown", "if raised and not any(", "if False and not any(", COUNTS),
    ("plain: errors kept from hooks", "raised = error is not None or not shell.last_execution_succeeded\n        shell.events",
     "shell.events.trigger(\"post_run_cell\", result); raised = result.error_in_exec is not None\n        shell.events", COUNTS),
]  # fmt: skip
RUN_AS_WRITTEN = [
    ("plain: tests run as written", 'with as_written() if message.get("test") else', "with", COUNTS),
    ("plain: what runs cells is put back", "            put_back()\n", "            pass\n", COUNTS),
    (
        "plain: tests see that they are graded", '        os.environ["NBGRADER_EXECUTION"] = "autograde"',
        "        pass", COUNTS,
    ),
]  # fmt: skip
SAID = "what_a_child_says_it_wrote_is_read_or_left_out"
WRITTEN = [
    ("plain: written files lie below the folder", " or not _is_plain(name, taken)", "", SAID),
    ("plain: size of written files", " or len(text) // 2 > room", "", SAID),
    ("plain: nbgrader's records aren't written", "(*taken, *RECORDS, ", "(*taken, ", SAID),
]  # fmt: skip
UNWRITTEN = [
    (
        "plain: tests that aren't written yet", "        if AUTOTEST in cell.source:\n            raise",
        "        if False:\n            raise", "tests_that_nbgrader_has_not_written_yet_are_refused_not_passed",
    ),
]  # fmt: skip
STRANGERS = [
    (
        "settings: create_student", "self._autograde.create_student or", "True or",
        "grading_follows_the_settings",
    ),
]  # fmt: skip
CHOSEN = [
    (
        "settings: student_id_exclude", "if name not in course.student_id_exclude.split(",
        "if name not in str(None).split(", "students_are_chosen_as_nbgrader_chooses_them",
    ),
]  # fmt: skip
PRIVATE = [
    (
        "privacy: folders above", "all(_allows(above, ENTER, to_group) for above in path.parents) and any(", "any(",
        "a_file_is_open_where_it_can_be_read_or_changed",
    ),
    (
        "privacy: the group", "    return to_group and bool(", "    return False and bool(",
        "a_group_is_somebody_else_where_it_has_other_members",
    ),
]  # fmt: skip
LOST = [
    (
        "grader: a worker that fails costs nobody", "for alone in (False, True):", "for alone in (False,):",
        "a_worker_that_ends_early_is_replaced_and_costs_nobody",
    ),
]  # fmt: skip
LOST_WORKERS = [
    (
        "worker: one that is silent is replaced", "except (wire.WireError, KeyError, TypeError):",
        "except (KeyError, TypeError):", "a_worker_that_is_lost_between_two_submissions_costs_nobody",
    ),
]  # fmt: skip

# -- grades that are true --------------------------------------------------------------------------------

SAME = "a_check_and_the_grade_say_the_same"
OUTSIDE = [
    ("alike: programs", "    outside.leave_out_programs(shell)\n", "", f"{SAME}[!pip]"),
    ("alike: torch.compile", "    outside.compile_eagerly()\n", "", f"{SAME}[torch.compile, called at once]"),
]  # fmt: skip
GRAFTED = [
    (
        "alike: changes in the course's cells", "    _graft(result, seen, added)\n", "",
        "what_is_written_into_a_cell_of_the_courses_runs_after_it",
    ),
]  # fmt: skip
CAUSES = [
    (
        "causes: right where the answer is right", "theirs == RIGHT if ours is None else", "ours is None or",
        "what_a_mistake_would_get_wrong_and_the_answer_gets_right_speaks_against_it",
    ),
    (
        "causes: wrong in the same way", "theirs != RIGHT and ours.same(theirs)", "theirs != RIGHT",
        "a_mistake_that_explains_one_case_and_not_the_others_is_not_named",
    ),
]  # fmt: skip

COLLECTED = [
    (
        "collect: names that steer a terminal", "        if STEERING.search(name):", "        if False:",
        "what_cannot_be_collected_is_named_and_costs_nobody_else",
    ),
    (
        "collect: links", 'if stat.S_ISLNK(status.st_mode):', "if False:", "collecting_follows_no_link",
    ),
    (
        "collect: hard links", "if status.st_nlink > 1:", "if False:",
        "what_cannot_be_collected_is_named_and_costs_nobody_else",
    ),
    (
        "collect: the owner's alone", 'return "" if status.st_uid == owner else', 'return "" if True else',
        "files_that_belong_to_somebody_else_are_left_out",
    ),
    (
        "collect: the records that nbgrader needs", "            self._complete(stage)\n", "",
        "a_submission_has_the_records_of_nbgrader_whatever_was_made_of_them",
    ),
    (
        "collect: whose it is", "best = theirs or real or records", "best = records",
        "who_hands_in_for_another_does_not_come_before_them",
    ),
    (
        "collect: files that grow", "file.read(min(size, 1 << 20))", "file.read(1 << 20)",
        "a_file_that_grows_and_a_folder_without_end_are_bounded",
    ),
    (
        "collect: files without end", "if self.entries > MAX_ENTRIES:", "if False:",
        "a_file_that_grows_and_a_folder_without_end_are_bounded",
    ),
    (
        "collect: one at a time", "except Exception as error:  # this one's alone", "except ZeroDivisionError as error:",
        "what_cannot_be_collected_is_named_and_costs_nobody_else",
    ),
]  # fmt: skip
RELEASED = [
    (
        "release: one at a time", "except Exception as error:", "except ZeroDivisionError as error:",
        "feedback_without_its_records_holds_up_no_other",
    ),
]  # fmt: skip
AUTOGRADED_LINKS = [
    (
        "autograde: links and pipes", "path.unlink()", "print(path)",
        "what_is_no_plain_file_is_taken_out_before_nbgrader_copies_it",
    ),
    (
        "autograde: names that steer a terminal", "STEERING.search(path.name), path", "None, path",
        "what_is_no_plain_file_is_taken_out_before_nbgrader_copies_it|autograding_and_feedback_hold_nothing_that_a_link_points_to",
    ),
]  # fmt: skip
SIGNS_IN_NAMES = [
    (
        "course: names that are formulas or options", 'if not name or name[0] in FORMULA:', "if not name:",
        "what_cannot_be_collected_is_named_and_costs_nobody_else",
    ),
    (
        "course: names that are HTML or patterns", "if found := sorted(", "if found := False and sorted(",
        "what_cannot_be_collected_is_named_and_costs_nobody_else",
    ),
]  # fmt: skip
TIMES = [
    (
        "submission: times at the end of all times", "return time if time and is_likely(time) else None", "return time",
        "formgrader_lists_everybody_in_any_time_zone",
    ),
]  # fmt: skip
CREDIT = [
    (
        "plain tests: credit that is no number", "if points > 0 else 0.0", "if points >= 0 else float(exercise.points)",
        "partial_credit_is_no_more_than_there_is_and_none_below_0",
    ),
]  # fmt: skip
EXPORTED = [
    ("export: names that are formulas", "if value and value[0] in", "if False and value[0] in", "a_name_is_no_formula_in_a_spreadsheet"),
]  # fmt: skip
SUMMARY = [
    (
        "feedback: headings of the course's alone", " and not is_students(cell):", ":",
        "the_summary_says_nothing_that_a_student_wrote",
    ),
    (
        "feedback: the verdict alone", 'cell.get("outputs", [])[-1:]:', 'cell.get("outputs", []):',
        "the_summary_says_nothing_that_a_student_wrote",
    ),
    (
        "feedback: no verdict where a person gives points", 'by_itself = cell.cell_type == "code" and not nbgrader.get("solution")',
        'by_itself = cell.cell_type == "code"', "the_summary_says_nothing_that_a_student_wrote",
    ),
]  # fmt: skip
MESSAGES = [
    ("message: lines of its own", "[(label, _shown(text)) for", "[(label, text) for", "a_message_has_its_own_lines_and_no_others"),
]  # fmt: skip
PRINTED = [
    (
        "message: what was printed steers nothing",
        'ESCAPES.sub("", text).split',
        "text.split",
        "it_is_folded_escaped_and_in_lines_of_its_own",
    ),
]
PRINTED_LONG = [
    ("judge: length of what was printed", "if long or len(outcome.printed) > 2 * KEPT:", "if long:", "an_outcome_that_prints_more_than_is_kept_comes_from_no_check_of_ours"),
]  # fmt: skip
PRINTED_HIDDEN = [
    (
        "message: what hidden cases print",
        "outcomes, 0) if reveal else finding",
        "outcomes, 0)",
        "nothing_that_was_printed_in_a_hidden_case_is_shown",
    ),
    (
        "message: what wrong hidden cases print",
        "outcomes, index) if reveal else finding",
        "outcomes, index)",
        "nothing_that_was_printed_in_a_hidden_case_is_shown",
    ),
]
BOUNDED = [
    (
        "judge: values without end", "else list(map(bounded, outcomes))", "else outcomes",
        "more_values_than_anybody_asks_for_are_not_compared",
    ),
]  # fmt: skip
TANGLED = [
    (
        "reaching: steps without end", "if self.steps > MOST_STEPS:", "if False:",
        "code_whose_names_lead_everywhere_is_not_followed_to_its_end",
    ),
]  # fmt: skip
STEERING = [
    (
        "submission: names that steer a terminal", "if STEERING.search(relative):", "if False:",
        "a_name_that_would_steer_a_terminal_is_left_out",
    ),
    (
        "submission: times that steer a terminal", 'return content if text.isascii() and text.isprintable() else b""', "return content",
        "a_record_that_is_none_is_there_and_empty[steering]",
    ),
]  # fmt: skip
AUTOGRADED = [
    (
        "autograde: what links point to", "(name not in stays and (own or {}).get(name) != path.read_bytes())", "False",
        "autograding_and_feedback_hold_nothing_that_a_link_points_to",
    ),
]  # fmt: skip
PAGES = [
    (
        "pages: no ids for a student's headings", ", exclude_anchor_links=theirs)", ")",
        "a_heading_of_a_students_takes_no_ones_place",
    ),
    (
        "pages: pictures as Markdown reads them", "if re.fullmatch(PICTURE, url) else text", "",
        "a_link_of_a_students_leads_to_the_web_or_a_file",
    ),
    (
        "pages: links as Markdown reads them", "if re.fullmatch(LINK, url) else text", "",
        "a_link_of_a_students_leads_to_the_web_or_a_file",
    ),
    (
        "pages: code of a student's in no language", "return super().block_code(code)",
        "return super().block_code(code, info)", "code_in_a_students_text_is_in_no_language",
    ),
    (
        "pages: remarks have names of a student's in them", '{"added", "remarks"}', '{"added"}',
        "a_heading_of_a_students_takes_no_ones_place|no_picture_of_a_students_comes_from_elsewhere",
    ),
    (
        "pages: no part of a formula but those that are known", "return _cleaner.clean(convert(known, display=display))",
        "return convert(known, display=display)", "a_formula_can_neither_run_nor_leave_its_place",
    ),
    (
        "pages: nothing that moves a formula", '"mspace": {"width"},',
        '"mspace": {"width"}, "mpadded": {"voffset", "height", "depth", "width"},',
        "a_formula_can_neither_run_nor_leave_its_place",
    ),
]  # fmt: skip
WATCHED = [
    (
        "watch: all are waited for together", "since = now if self.since is None else self.since", "since = now",
        "who_hands_in_without_end_holds_up_nobody_for_longer",
    ),
    (
        "watch: what was stopped is run in no other round", " if self.graded.get(each.student) != states[each.student]]",
        "]", "one_that_waits_until_its_time_is_out_holds_up_a_watch_once",
    ),
    (
        "watch: names that steer a terminal", "one_line(graded.problem)", "graded.problem",
        "one_that_waits_until_its_time_is_out_holds_up_a_watch_once",
    ),
]  # fmt: skip
ONCE = [
    (
        "once: what would become a link", "list(map(one_line, graded.remarks))", "graded.remarks",
        "no_code_or_name_of_a_students_becomes_a_link",
    ),
    (
        "once: names that steer a terminal", "sandboxed)), indent=1)", "sandboxed)), indent=1, ensure_ascii=False)",
        "one_submission_is_graded_and_nothing_is_recorded",
    ),
]  # fmt: skip
BOXES = [
    (
        "pages: each cell in its box", "contain: paint;\n        overflow-x: auto;\n        overflow-y: hidden;", "",
        "nothing_of_a_students_is_drawn_over_a_verdict",
    ),
]  # fmt: skip
ADDED = [
    (
        "clean: added cells without end", "if added and room < 0:", "if False:",
        "cells_without_end_take_no_time_to_show",
    ),
]  # fmt: skip
LANGUAGES = [
    (
        "clean: pictures whose name ends in code", r"[^][\\`$]*", "[^][]*",
        "no_picture_of_a_students_comes_from_elsewhere",
    ),
    (
        "clean: what is behind files/", "(?!/|files/)", "(?!/)", "no_picture_of_a_students_comes_from_elsewhere",
    ),
    (
        "clean: other languages", "if long or MAGIC.search(cell.source):", "if long:",
        "code_in_other_languages_is_not_coloured",
    ),
]  # fmt: skip
ODD_NAMES = [
    (
        "course: names with a dot in front", 'if name.startswith("."):', "if False:",
        "bad_submissions_get_their_cause_and_stop_nobody_else",
    ),
    (
        "course: names that can't be printed", "if not name.isprintable():", "if False:",
        "bad_submissions_get_their_cause_and_stop_nobody_else",
    ),
    (
        "course: long names", "if len(name) > LONGEST_ID else", "if False else",
        "bad_submissions_get_their_cause_and_stop_nobody_else",
    ),
]  # fmt: skip
WAITING = [
    (
        "gradebook: overruled checks wait for nobody", ", Grade.auto_score.is_(None))", ")",
        "a_person_s_score_survives_grading_again",
    ),
    (
        "gradebook: tables of before", "if name not in known:", "if False:",
        "a_gradebook_of_before_is_taken_over",
    ),
]  # fmt: skip
SECRET_ENOUGH = [
    ("secret: not cut short", "if len(secret) < SHORTEST:", "if False:", "a_secret_that_anybody_could_guess_is_refused"),
]  # fmt: skip
DECIDING = [
    (
        "digest: seconds", 'f"{float(self.cell_seconds)}", ', "", "where_and_how_long_code_runs_decides_too",
    ),
    ("digest: sandbox", ', f"{self.sandboxed}"', "", "where_and_how_long_code_runs_decides_too"),
]  # fmt: skip
NOT_RUN_AGAIN = [
    ("digest: not run", "if any(map(_may_run, known.values())):", "if False:", "what_was_not_run_is_never_as_before"),
]  # fmt: skip

# Where they stand, the file of tests, and the rows.
SENT = [
    (
        "answers: what is sent is plain data while it is watched", "_settled(DRIVERS[driver](answer, case, gradients))",
        "DRIVERS[driver](answer, case, gradients)", "no_trick_gains_a_mark[forbidden_when_it_is_sent]",
    ),
]  # fmt: skip
SENT_TENSORS = [
    (
        "answers: so are tensors", "str, list, tuple, dict, Opaque}", "str, list, tuple, dict, Opaque, torch.Tensor}",
        "no_trick_gains_a_mark[forbidden_when_a_tensor_is_sent]",
    ),
]  # fmt: skip
SILENCED = [
    (
        "plain: an interrupt of the student's own is an error", "outputs = [*recorder.outputs, unshown(KeyboardInterrupt())]",
        "outputs = recorder.outputs", COUNTS,
    ),
]  # fmt: skip
RUNNERS = [("plain: who runs what awaits", '"loop_runner",', "", COUNTS)]

# -- GPUs ------------------------------------------------------------------------------------------------

PARALLEL = [
    (
        "GPU: the CPU unless told otherwise",
        '.strip().lower() or "cpu"',
        ".strip().lower() or _devices()[-1]",
        "it_is_the_cpu_unless_the_environment_names_another",
    ),
    (
        "GPU: one that isn't there is named",
        "if exact not in found:",
        "if not found:",
        "what_is_not_there_is_said_in_a_sentence_with_its_cure",
    ),
    (
        "GPU: runs take turns",
        '_side_by_side if device().type == "cpu" else _one_by_one',
        "_side_by_side",
        "runs_side_by_side_take_turns_on_a_gpu_in_the_thread_that_asks",
    ),
    (
        "GPU: runs that take turns hear an interrupt",
        "    _over.append(stopped)\n",
        "    _over.append(bool)\n",
        "runs_that_take_turns_end_at_an_interrupt",
    ),
    (
        "GPU: a step isn't spread",
        'or batch[0].device.type != "cpu" ',
        "",
        "a_training_is_on_the_gpu_and_its_model_comes_back",
    ),
    (
        "GPU: a batch goes to its model",
        "(value.to(place) if isinstance(value, torch.Tensor) else value for",
        "(value for",
        "a_training_is_on_the_gpu_and_its_model_comes_back",
    ),
    (
        "GPU: a model comes back",
        '                part.to("cpu")\n',
        "                pass\n",
        "a_training_is_on_the_gpu_and_its_model_comes_back|no_training_stops_at_a_student_s_parts[06_block-0]",
    ),
    (
        "GPU: what fails runs on the CPU",
        "or not error.args:",
        "or error.args:",
        "a_training_that_stops_on_the_gpu_says_so_once_and_is_made_on_the_cpu",
    ),
    (
        "GPU: the CPU begins anew",
        "            part.load_state_dict(state)\n",
        "            pass\n",
        "a_training_that_stops_on_the_gpu_says_so_once_and_is_made_on_the_cpu",
    ),
    (
        "GPU: a reason is given once",
        "@functools.cache\ndef _say_once",
        "def _say_once",
        "a_training_that_stops_on_the_gpu_says_so_once_and_is_made_on_the_cpu",
    ),
]
MUON = [
    (
        "GPU: Muon takes one thread",
        "step_threads(cores()).map if on_cpu else map",
        "step_threads(cores()).map",
        "muon_moves_matrices_on_a_gpu_in_the_thread_that_asks",
    ),
    (
        "GPU: Muon's norm is no old one",
        "torch.linalg.vector_norm(matrices, dim=",
        "matrices.norm(dim=",
        "muon_moves_matrices_on_a_gpu_in_the_thread_that_asks",
    ),
    (
        "gradients may be made zeros",
        ", set_to_none: bool = True) -> None",
        ") -> None",
        "no_training_stops_at_a_student_s_parts[08_pretraining-0]",
    ),
]
PROBES = [
    (
        "GPU: parts are tried on it",
        "dict.fromkeys((CPU, training.device()))",
        "(CPU,)",
        "a_part_that_is_right_on_the_cpu_alone_gives_way_and_says_why"
        "|lesson_08_trains_with_the_parts_that_run_on_the_gpu",
    ),
]
MASKS = [
    (
        "GPU: a mask is made beside the tokens",
        "dtype=torch.bool, device=ids.device).tril()",
        "dtype=torch.bool).tril()",
        "every_training_runs_on_the_gpu[12_modern]",
    ),
]

LISTED: list[tuple[str, str, list[Row]]] = [
    ("autograder/child/sandbox.py", "test_walls", [*BUBBLEWRAP, *CHILD]),
    ("autograder/child/shown.py", "test_walls", SEEN),
    ("autograder/child/calls.py", "test_filter", FILTER),
    ("autograder/child/worker.py", "test_walls", [*DESCRIPTORS, *SHARES]),
    ("autograder/child/interrupts.py", "test_walls", INTERRUPTS),
    ("autograder/child/worker.py", "test_walls", FIRST_MOMENTS),
    ("autograder/grading/clock.py", "test_clock", CLOCK),
    ("autograder/child/worker.py", "test_agreement", OUTSIDE),
    ("autograder/grading/submission.py", "test_submission", GRAFTED),
    ("helpers/checking/explaining/sketches.py", "test_checks", CAUSES),
    ("autograder/child/wire.py", "test_wire", WIRE),
    ("autograder/grading/workers.py", "test_walls", STARTED),
    ("autograder/grading/workers.py", "test_attacks", STAGED),
    ("autograder/grading/lesson.py", "test_grading", HIDDEN),
    ("helpers/checking/calling/outcome.py", "test_strangers", OUTCOMES),
    ("helpers/checking/calling/values.py", "test_values", VALUES),
    ("helpers/checking/calling/values.py", "test_strangers", VALUES_OF_STRANGERS),
    ("helpers/checking/calling/forbidding.py", "test_attacks", FORBIDDEN),
    ("helpers/checking/calling/forbidding.py", "test_sheets", FORBIDDEN_NAMES),
    ("helpers/checking/code/reaching.py", "test_reaching", REACHED),
    ("helpers/checking/code/names.py", "test_reaching", NAMES_IN_CODE),
    ("helpers/checking/calling/drivers.py", "test_drivers", DRIVERS),
    ("helpers/checking/calling/drivers.py", "test_attacks", SENT),
    ("helpers/checking/calling/values.py", "test_attacks", SENT_TENSORS),
    ("autograder/child/worker.py", "test_hidden_errors", SILENCED),
    ("autograder/child/errors.py", "test_hidden_errors", RUNNERS),
    ("autograder/child/shell.py", "test_shell", SHELL),
    ("autograder/child/shell.py", "test_hidden_errors", RAISED),
    ("autograder/child/worker.py", "test_hidden_errors", RUN_AS_WRITTEN),
    ("autograder/grading/written.py", "test_written", WRITTEN),
    ("autograder/grading/lesson.py", "test_plain", UNWRITTEN),
    ("autograder/classroom/gradebook.py", "test_settings", STRANGERS),
    ("autograder/classroom/course.py", "test_settings", CHOSEN),
    ("autograder/classroom/privacy.py", "test_privacy", PRIVATE),
    ("autograder/grading/grader.py", "test_sandbox", LOST),
    ("autograder/grading/workers.py", "test_sandbox", LOST_WORKERS),
    ("autograder/grading/judge.py", "test_strangers", JUDGE),
    ("autograder/grading/judge.py", "test_attacks", TRICKED),
    ("autograder/grading/clean.py", "test_pages", LANGUAGES),
    ("autograder/grading/grader.py", "test_pages", ADDED),
    ("autograder/classroom/pages.py", "test_pages", PAGES),
    ("autograder/classroom/templates/classic/mathjax.html.j2", "test_pages", BOXES),
    ("autograder/classroom/watching.py", "test_watch", WATCHED),
    ("autograder/classroom/once.py", "test_once", ONCE),
    ("autograder/grading/clean.py", "test_sandbox", CLEAN_PAGES),
    ("autograder/grading/clean.py", "test_strangers", CLEAN),
    ("autograder/classroom/gradebook.py", "test_strangers", FILES),
    ("autograder/grading/submission.py", "test_strangers", HANDED_IN),
    ("autograder/grading/submission.py", "test_submission", MERGED),
    ("autograder/grading/grader.py", "test_grading", SHOWN),
    ("autograder/classroom/collect.py", "test_collect", COLLECTED),
    ("autograder/classroom/release.py", "test_collect", RELEASED),
    ("autograder/classroom/plugin.py", "test_collect", AUTOGRADED_LINKS),
    ("autograder/classroom/course.py", "test_collect", SIGNS_IN_NAMES),
    ("autograder/grading/submission.py", "test_collect", TIMES),
    ("autograder/grading/in_process.py", "test_plain", CREDIT),
    ("autograder/classroom/exports.py", "test_exports", EXPORTED),
    ("autograder/classroom/feedback.py", "test_pages", SUMMARY),
    ("helpers/checking/finding.py", "test_checks", MESSAGES),
    ("helpers/checking/finding.py", "test_printing", PRINTED),
    ("helpers/checking/assessing.py", "test_printing", PRINTED_HIDDEN),
    ("autograder/grading/judge.py", "test_printing", PRINTED_LONG),
    ("autograder/grading/judge.py", "test_strangers", BOUNDED),
    ("helpers/checking/code/reaching.py", "test_reaching", TANGLED),
    ("autograder/grading/submission.py", "test_submission", STEERING),
    ("autograder/classroom/gradebook.py", "test_collect", AUTOGRADED),
    ("autograder/classroom/course.py", "test_sheets", SECRET_ENOUGH),
    ("autograder/classroom/course.py", "test_grading", ODD_NAMES),
    ("autograder/classroom/gradebook.py", "test_grading", WAITING),
    ("autograder/grading/grader.py", "test_regrading", DECIDING),
    ("autograder/classroom/batch.py", "test_regrading", NOT_RUN_AGAIN),
    ("helpers/training/parallel.py", "test_accelerator", PARALLEL),
    ("helpers/training/muon.py", "test_accelerator", MUON),
    ("helpers/own.py", "test_accelerator", PROBES),
    ("helpers/modern/experiments.py", "test_accelerator", MASKS),
]
