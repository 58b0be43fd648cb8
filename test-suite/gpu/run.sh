#!/bin/bash
# Checks and times hexpass on this machine's GPU. Needs nothing but the driver.
#
#   ./run.sh [--only PATTERN[|PATTERN]] [--budget SECONDS] [--tuned] [--check-only | --time-only | --profile | --model]
#
#   --only      what has one of the patterns in its name: "corpus …", "check …" or "time …"
#   --tuned     times each row with what HEXPASS_TUNE=full found just before, remembered in a cache file
#   --profile   hardware counters of a few launches of each row, by Nsight Compute (ncu)
#   --model     every variant and size of each row against what the time model predicts for it; see HEXPASS_CALIBRATION
#   --budget    starts nothing new after so many seconds, and says what was left out
#
# GPU_PACK_DEVICE  cuda (the default), cuda:N, cpu or emulated; emulated runs small sizes only
# OUT              folder for gpu-pack.jsonl, one JSON object a line (default: ./results)
#
# The last line is "N passed, N failed"; exit status 0 if nothing failed.
set -euo pipefail
exec "$(dirname "$(realpath "$0")")/bin/gpu-driver" "$@"
