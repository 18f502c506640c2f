// The published tool outputs, with and without an injection, as a tool would return them; and which of them the rules were written on.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonValue } from '../../src/json/value.ts'

export interface LabelledOutput {
  readonly id: string
  readonly source: string
  readonly variant: string
  readonly injected: boolean
  /** Parsed where it is JSON, else the text. */
  readonly output: JsonValue
  /** Whether the rules were never looked at beside this row. */
  readonly heldOut: boolean
}

interface Row {
  readonly id: string
  readonly source?: string
  readonly variant?: string
  readonly tool_output: string
}

export function readOutputs(folder: string): readonly LabelledOutput[] {
  return [
    ...readRows(join(folder, 'tool_output_injections.jsonl'), true),
    ...readRows(join(folder, 'benign_tool_outputs.jsonl'), false),
  ]
}

function readRows(file: string, injected: boolean): readonly LabelledOutput[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines
    .filter((line) => line !== '')
    .map((line) => {
      const { id, source = '', variant = 'benign', tool_output } = JSON.parse(line) as Row
      return { id, source, variant, injected, output: parsed(tool_output), heldOut: isHeldOut(id) }
    })
}

/** A third of the rows, by the hash of their id, is what the rules were written on. */
function isHeldOut(id: string): boolean {
  return createHash('sha256').update(id).digest().readUInt32BE(0) % 3 !== 0
}

function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return text
  }
}
