import signal, time
from concurrent.futures import ThreadPoolExecutor
from collections import Counter
from tests.e2e.conftest import *
from workers.embedded.scripted.script import Reply, Hang
@pytest.mark.timeout(560)
def test_counts(pointsman, capsys):
    pointsman.cli("ask", "x", "--id", "c")
    with ThreadPoolExecutor(2) as pool:
        e = list(pool.map(pointsman.cli, ["status"]*100, ["c"]*100))
    out = [("status", Counter((r.returncode, r.stderr) for r in e))]
    codes = []
    for _ in range(5):
        ws = [pointsman.start_worker(wait=False) for _ in range(4)]
        for w in ws: w.until_said(READY)
        codes += [w.signal(signal.SIGTERM) for w in ws]
    out.append(("sigterm", Counter(codes)))
    with capsys.disabled(): print(out)
def test_kill(unattended, providers, capsys):
    providers.script("alpha", Hang(), Reply(text="after"))
    a = unattended.start_worker()
    unattended.cli("ask", "x", "--id", "k", "--deadline", "300", "--no-wait")
    providers.wait_for_hits_blocking("alpha", 1, 60)
    b = unattended.start_worker()
    t = time.monotonic(); a.signal(signal.SIGKILL)
    r = unattended.cli("answer", "k"); 
    with capsys.disabled(): print("kill -> answer", time.monotonic() - t, r.returncode)
