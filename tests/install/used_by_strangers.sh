#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs a build, moves the installation, and uses it as strangers would: a C program that finds
# it by pkg-config, a project that finds it by find_package, and an unmodified program that has the
# preload library.
#
# usage: used_by_strangers.sh <build folder> <C compiler> <C++ compiler> <CMake>

set -eu
build=$1 cc=$2 cxx=$3 cmake=$4
here=$(cd "$(dirname "$0")" && pwd)

command -v pkg-config >/dev/null || { echo "no pkg-config"; exit 77; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$cmake" --install "$build" --prefix "$work/first" >"$work/install.log"
mv "$work/first" "$work/moved"
prefix=$work/moved

library=$(find "$prefix" -name 'libphutex.so')
export LD_LIBRARY_PATH="${library%/*}"
export PKG_CONFIG_PATH="${library%/*}/pkgconfig"

echo "C, by pkg-config"
# shellcheck disable=SC2046  # flags are words
"$cc" -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror $(pkg-config --cflags phutex) \
  "$here/hand_over.c" -o "$work/shared" $(pkg-config --libs phutex) -pthread
"$work/shared"
case $(pkg-config --modversion phutex) in
  [0-9]*.[0-9]*.[0-9]*) ;;
  *) echo "no version"; exit 1 ;;
esac

echo "C, linked statically"
# shellcheck disable=SC2046
"$cc" -std=c11 -D_GNU_SOURCE -static $(pkg-config --cflags phutex) \
  "$here/hand_over.c" -o "$work/static" $(pkg-config --static --libs phutex)
"$work/static"

echo "C++, by find_package"
"$cmake" -S "$here/project" -B "$work/project" -DCMAKE_CXX_COMPILER="$cxx" \
  -DCMAKE_PREFIX_PATH="$prefix" >"$work/configure.log"
"$cmake" --build "$work/project" >"$work/build.log" || { cat "$work/build.log"; exit 1; }
"$work/project/hand_over_phutex"
"$work/project/hand_over_static"

echo "unmodified, with the preload library"
LD_PRELOAD=$(find "$prefix" -name 'libphutex-preload.so') date >/dev/null

echo "nothing but these"
find "$prefix" -type f | sed "s|^$prefix/||" | sort | grep -vE \
  -e '^include/phutex/' -e '^lib[^/]*(/[^/]*-linux-gnu)?/libphutex' -e '/cmake/phutex/' \
  -e '/pkgconfig/phutex\.pc$' -e '^share/doc/phutex/' -e '^bin/phutex$' &&
  { echo "is installed, too"; exit 1; }
exit 0
