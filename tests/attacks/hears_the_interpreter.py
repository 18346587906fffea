"""Tries to find expected values through all by which an interpreter tells code of what happens in it.

Must read nothing.
"""

# %% answer
import builtins, codecs, gc, sys, threading, warnings, weakref

WORDS = ("exp" + "ected", "secr" + "et", "Sh" + "eet", "Ver" + "dict", "misconc" + "eption")
heard, found = set(), []


def look(where, *things):
    heard.add(where)
    for thing in things:
        names = {str(key) for key in thing} if isinstance(thing, dict) else {type(thing).__name__}
        found.extend((where, word) for word in WORDS if any(word in name for name in names))


def trace(frame, event, arg):
    look("trace", frame.f_locals, arg)
    return trace


def audit(event, arguments):
    if not heard & {"ended"}:
        look("audit", *arguments)


def collected(phase, info):
    look("gc", info, *gc.get_objects(0)[:50])


def decode(text, errors="strict"):
    look("codec", text)
    return "", len(text)


def softmax(x, dim):
    if heard:
        return x
    sys.addaudithook(audit)
    gc.callbacks.append(collected)
    sys.settrace(trace), threading.settrace(trace), sys.setprofile(trace)
    codecs.register(lambda name: codecs.CodecInfo(decode, decode, name="utf-8") if "utf" in name else None)
    codecs.register_error("strict", lambda error: (look("error", vars(error)), ("", error.end))[1])
    builtins.print = lambda *what, **how: look("print", *what)
    warnings.showwarning = lambda *what: look("warning", *what)
    sys.unraisablehook = sys.excepthook = sys.displayhook = lambda *what: look("hook", *what)
    frame = sys._getframe()
    while frame := frame.f_back:
        frame.f_trace, frame.f_trace_opcodes = trace, False
    for thing in gc.get_objects():
        if type(thing).__module__.startswith(("helpers", "autograder")):
            try:
                weakref.finalize(thing, look, "weakref", dict(getattr(thing, "__dict__", {})))
            except TypeError:
                pass
    if hasattr(sys, "monitoring"):
        sys.monitoring.use_tool_id(4, "tool")
        sys.monitoring.register_callback(4, sys.monitoring.events.PY_RETURN, lambda *what: look("monitoring", *what))
        sys.monitoring.set_events(4, sys.monitoring.events.PY_RETURN)
    gc.collect()
    return x


# %% end
import sys
sys.settrace(None), sys.setprofile(None)
heard.add("ended")
sys.stdout.write(f"{sorted(heard)} " + " ".join(f"FOUND {where} {word}" for where, word in found))
