#!/bin/sh
# Downloads Sluice for this machine, verifies its checksum and installs it.
#
#   sh install.sh [<address of the files of a release>]
#
# SLUICE_INSTALL_DIR: folder of the program, by default /usr/local/bin for root and ~/.local/bin for others.
# Needs curl or wget, and sha256sum or shasum. Nothing is installed unless the checksum matches.
set -eu

base_url="${1:-@BASE_URL@}"

fail() {
  echo "install.sh: $1" >&2
  exit 1
}

case "$base_url" in
  http://*|https://*) base_url="${base_url%/}" ;;
  *) fail "name the address of the files of a release: sh install.sh https://…" ;;
esac

case "$(uname -s)" in
  Linux) system=linux ;;
  Darwin) system=macos ;;
  *) fail "no binary for $(uname -s); on Windows download sluice-windows-x64.exe" ;;
esac
case "$(uname -m)" in
  x86_64|amd64) machine=x64 ;;
  aarch64|arm64) machine=arm64 ;;
  *) fail "no binary for $(uname -m)" ;;
esac
name="sluice-$system-$machine"

if [ -n "${SLUICE_INSTALL_DIR:-}" ]; then
  folder="$SLUICE_INSTALL_DIR"
elif [ "$(id -u)" = 0 ]; then
  folder=/usr/local/bin
else
  folder="$HOME/.local/bin"
fi

download() {
  if command -v curl >/dev/null 2>&1; then
    curl --fail --silent --show-error --location --output "$2" "$1" || fail "cannot download $1"
  elif command -v wget >/dev/null 2>&1; then
    wget --quiet --output-document="$2" "$1" || fail "cannot download $1"
  else
    fail "needs curl or wget"
  fi
}

digest() {
  if command -v sha256sum >/dev/null 2>&1; then
    sha256sum "$1" | cut -d ' ' -f 1
  elif command -v shasum >/dev/null 2>&1; then
    shasum -a 256 "$1" | cut -d ' ' -f 1
  else
    fail "needs sha256sum or shasum"
  fi
}

# In the folder of the program, so that the last step is a rename within one file system.
mkdir -p "$folder"
work="$(mktemp -d "$folder/.sluice-install.XXXXXX")"
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

download "$base_url/SHA256SUMS" "$work/SHA256SUMS"
expected="$(awk -v name="$name" '$2 == name || $2 == "*" name { print $1 }' "$work/SHA256SUMS")"
[ -n "$expected" ] || fail "SHA256SUMS has no line for $name"
download "$base_url/$name" "$work/sluice"
actual="$(digest "$work/sluice")"
[ "$actual" = "$expected" ] || fail "the checksum of $name is $actual instead of $expected: nothing was installed"
chmod 755 "$work/sluice"
mv -f "$work/sluice" "$folder/sluice"

echo "Installed $folder/sluice"
case ":$PATH:" in
  *":$folder:"*) ;;
  *) echo "Add $folder to PATH to start it by its name" ;;
esac
