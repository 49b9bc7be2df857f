#!/bin/sh
# Makes tests/golden/models, encoder_decoder_models and every tests/golden/*.json that has a script again, live from
# PyPI, and compares with what is committed.
#
#   tools/remake_goldens.sh            the versions that the folders' README.md name
#   tools/remake_goldens.sh --newest   the newest published versions: does transformers still say the same?
#   tools/remake_goldens.sh --write    the newest versions, and replace the committed folders
#
# Works in a throw-away virtual environment under TMPDIR (torch needs about 1 to 5 GB there). Extra options for
# pip, such as an index of torch builds without CUDA, go into PIP_OPTIONS; PYTHON names the interpreter.
# Checkpoints must come out bit for bit, float64 numbers within 1e-10, float32 numbers within 1e-5, the methods'
# numbers within 1e-9; config.json keys that differ are noted. Exit status 0: nothing differs.
set -eu

mode=${1:---pinned}
case "$mode" in
  --pinned | --newest | --write) ;;
  *)
    echo "remake_goldens.sh: expected --newest or --write, found $mode" >&2
    exit 2
    ;;
esac

root=$(cd "$(dirname "$0")/.." && pwd)
golden="$root/tests/golden"
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT INT TERM

if [ "$mode" = --pinned ]; then
  wanted=$(grep -hE '^(torch|transformers|safetensors|numpy|tokenizers|sentencepiece)==' \
    "$golden/models/README.md" "$golden/encoder_decoder_models/README.md" | sort -u)
else
  wanted="torch transformers safetensors numpy tokenizers sentencepiece"
fi
wanted="$wanted networkx scipy scikit-learn"
"${PYTHON:-python3}" -m venv "$place/venv"
# shellcheck disable=SC2086  # both are lists of words
"$place/venv/bin/pip" install --quiet --disable-pip-version-check ${PIP_OPTIONS:-} $wanted

python="$place/venv/bin/python"
methods=$(find "$golden" -name 'make_*_goldens.py' ! -name make_model_goldens.py | sort)
if [ "$mode" = --write ]; then
  "$python" "$golden/make_model_goldens.py"
  "$python" "$golden/make_encoder_decoder_models.py"
  for script in $methods; do "$python" "$script"; done
  exit 0
fi
status=0
for script in make_model_goldens.py make_encoder_decoder_models.py; do
  "$python" "$golden/$script" --out "$place/$script.made" >"$place/log" 2>&1 || { cat "$place/log" >&2; exit 1; }
  "$python" "$golden/$script" --compare "$place/$script.made" || status=1
done
# The methods' scripts write beside themselves: they run on a copy.
mkdir "$place/tests"
cp -R "$golden" "$place/tests/golden"
for script in $methods; do
  "$python" "$place/tests/golden/$(basename "$script")" >"$place/log" 2>&1 || { cat "$place/log" >&2; exit 1; }
done
"$python" "$root/tools/compare_goldens.py" "$golden" "$place/tests/golden" || status=1
exit $status
