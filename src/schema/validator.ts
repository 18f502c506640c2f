// Exact validators, generated from the normal form at first use and kept by the schema's hash.

import type { JsonValue } from '../json/value.ts'
import { boundedCache } from './bounded-cache.ts'
import { buildProgram, type Program } from './generate/program.ts'
import type { Preprocessed } from './normal.ts'

export interface Validator {
  matches(value: JsonValue): boolean
}

const programs = boundedCache<Program>(500)

export function compileValidator(schema: Preprocessed): Validator {
  let program: Program | undefined
  return {
    matches: (value) => {
      program ??= programs(schema.hash, () => buildProgram(schema))
      return program(value)
    },
  }
}
