// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Refused with: IsScheme|constraint

// An engine is made of complete policies only.

#include "engine/engine.hpp"
#include "native/platform.hpp"

template <class Platform>
class HalfAScheme {};

using Config = phutex::Config<phutex::native::Platform, HalfAScheme, phutex::mismatch::Locked>;

phutex::Engine<Config>* engine = nullptr;
