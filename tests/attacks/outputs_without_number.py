"""Tries to fill the grader's memory with outputs that are small, and hundreds of thousands.

Must leave nothing.
"""

# %% end
from helpers import checks
channel = next(cell.cell_contents for cell in checks.check.__closure__ if hasattr(cell.cell_contents, "recv"))
one = b'{"output_type":"display_data","data":{"text/plain":"x"}}'
body = b'{"done":[' + b",".join([one] * 450_000) + b"]}"
channel.sendall(len(body).to_bytes(4, "big") + body)
