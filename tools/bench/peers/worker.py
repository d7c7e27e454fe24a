"""A contender's process. Requests come as JSON, one a line, on standard input; answers go to standard output the same way;
what libraries print goes to standard error. See contender.ts, which is the other end.

    {"do": "load", "threads": 2, "precision": "f32"} -> {} once the library answers
    {"do": "prepare", "measure": "train_step", "contender": "pytorch-eager", "variant": null, "work": {...}}
    {"do": "repeat"}        -> {"ms": milliseconds per iteration}
    {"do": "memory"}        -> {"mib": peak resident memory}
"""

import json
import os
import sys
import time

answers = os.fdopen(os.dup(1), "w", buffering=1)
os.dup2(2, 1)

import torch  # noqa: E402

# Before any thread is started: threads inherit it.
torch.set_flush_denormal(True)
torch.manual_seed(1)


def matmul_peak(work, _contender):
    """The best speed of a square product, over some sizes. Result: GFLOP/s."""
    dtype = torch.bfloat16 if work["precision"] == "bf16" else torch.float32
    squares = {n: (torch.randn(n, n, dtype=dtype), torch.randn(n, n, dtype=dtype)) for n in work["sizes"]}

    @torch.inference_mode()
    def measure():
        best = (0.0, 0)
        for n, (a, b) in squares.items():
            a @ b
            started = time.perf_counter()
            a @ b
            best = max(best, (2 * n**3 / (time.perf_counter() - started) / 1e9, n))
        return {"gflops": best[0], "ms": 2 * max(work["sizes"]) ** 3 / best[0] / 1e6}

    return measure


def iterations(iterate, work):
    def repeat():
        for _ in range(work["warm"]):
            iterate()
        started, used = time.perf_counter(), time.process_time()
        for _ in range(work["iterations"]):
            iterate()
        per_iteration = 1000 / work["iterations"]
        return {
            "ms": (time.perf_counter() - started) * per_iteration,
            "cpu_ms": (time.process_time() - used) * per_iteration,
        }

    return repeat


def prepare(request):
    work, measure, contender = request["work"], request["measure"], request["contender"]
    torch.set_num_threads(work["threads"])
    if measure == "matmul_peak":
        return matmul_peak(work, contender)
    if measure == "generate":
        from writing import generate

        iterate = generate(work, request["variant"])
    elif measure == "grpo_step":
        from policy import grpo_step

        iterate = grpo_step(work)
    else:
        import training

        iterate = getattr(training, measure)(work, contender)
    for _ in range(work["prepare"]):
        iterate()
    return iterations(iterate, work)


def peak_memory():
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmHWM"))


def main():
    repeat = None
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if request["do"] == "load":
                torch.set_num_threads(request["threads"])
                answer = {"answer": torch.ones(2, 2).sum().item()}
            elif request["do"] == "prepare":
                repeat = prepare(request)
                answer = {"versions": {"torch": torch.__version__}}
            elif request["do"] == "repeat":
                answer = repeat()
            else:
                answer = {"mib": peak_memory()}
        except Exception as error:
            import traceback

            traceback.print_exc()
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=answers)
    os._exit(0)


main()
