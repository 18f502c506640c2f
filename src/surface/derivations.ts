// The libraries whose converters need a word, by the vendor name of their schemas. A library without a row here is
// asked plainly and believed.
import type { Derivation } from './derivation.ts'
import { arktypeDerivation } from './derive-arktype.ts'
import { effectDerivation } from './derive-effect.ts'
import { valibotDerivation } from './derive-valibot.ts'
import { zodDerivation } from './derive-zod.ts'

export const derivations: ReadonlyMap<string, Derivation> = new Map([
  ['zod', zodDerivation],
  ['valibot', valibotDerivation],
  ['arktype', arktypeDerivation],
  ['effect', effectDerivation],
])
