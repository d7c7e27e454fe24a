"""A peer's process. Requests and answers are JSON, one per line, on standard input and output; output of libraries goes to
standard error. contender.ts sends the requests.

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

DEVICE = os.environ.get("VERISIM_PEERS_DEVICE", "cpu")
torch.set_default_device(DEVICE)


def iterations(iterate, work):
    def repeat():
        for _ in range(work["warm"]):
            iterate()
        started, used = time.perf_counter(), time.process_time()
        for _ in range(work["iterations"]):
            iterate()
        if DEVICE != "cpu":
            torch.cuda.synchronize()
        per_iteration = 1000 / work["iterations"]
        return {
            "ms": (time.perf_counter() - started) * per_iteration,
            "cpu_ms": (time.process_time() - used) * per_iteration,
        }

    return repeat


def prepare(request):
    work, measure, contender = request["work"], request["measure"], request["contender"]
    torch.set_num_threads(work["threads"])
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
            if request["do"] == "prepare":
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
