# SPDX-License-Identifier: MIT
# The collectives' part of the library; runtime/build.mk links it.
