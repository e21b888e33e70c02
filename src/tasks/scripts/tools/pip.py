"""`python -m pip`: the same as the command `pip`. Imported, it is the pip of the machine."""
import os
import sys

if __name__ == "__main__":
    tools = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    program = os.path.join(tools, "programs", "packages.py")
    os.execv(sys.executable, [sys.executable, program, "pip"] + sys.argv[1:])
else:
    import importlib.machinery
    import importlib.util

    folder = os.path.dirname(os.path.abspath(__file__))
    spec = importlib.machinery.PathFinder.find_spec("pip", [path for path in sys.path if path != folder])
    if spec is None:
        raise ModuleNotFoundError("No module named 'pip': use the command `pip`", name="pip")
    sys.modules[__name__] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
