// What is judged: every way on which text of others is read, scanned, checked, normalized or compared, each up to the bound that it states.
import { shownText } from '../../src/approval/shown-text.ts'
import { readAddress } from '../../src/execute/executors/email/address.ts'
import { nothingCleaned, textCleaner } from '../../src/execute/results/clean-text.ts'
import { scanForInjection } from '../../src/execute/results/detect-injection.ts'
import { previewOf } from '../../src/execute/results/preview.ts'
import { copyOfResultInSteps } from '../../src/execute/scrub/own-result.ts'
import { scrubInSteps } from '../../src/execute/scrub/scrub-value.ts'
import { createScrubber } from '../../src/execute/scrub/scrubber.ts'
import { copyParsed, copyResultInSteps } from '../../src/json/copy.ts'
import { hashJson } from '../../src/json/hash.ts'
import { hashInSteps, jsonBytes } from '../../src/json/json-parts.ts'
import { readJson } from '../../src/json/read.ts'
import { mostMembers } from '../../src/json/refusal.ts'
import { inSlices } from '../../src/json/slices.ts'
import type { JsonValue } from '../../src/json/value.ts'
import { filled, oddTexts, ruleTexts } from './worst-texts.ts'

export interface StallCase {
  readonly kind: string
  readonly name: string
  /** The largest input that it lets in, in bytes. */
  readonly bound: number
  /** Where it is synchronous by its nature, and bounded for that. */
  readonly synchronous?: string
  /** Makes the work for an input of so many bytes; made anew for every run. */
  prepare(bytes: number): () => unknown
}

const mebibyte = 1_048_576
/** What a model may send, and what a tool may return. */
export const argumentBytes = mebibyte
export const resultBytes = 16 * mebibyte

type Shape = readonly [name: string, make: (bytes: number) => JsonValue]

/** Values of many members, and of one. */
export const shapes: readonly Shape[] = [
  ['many numbers', (bytes) => Array.from({ length: Math.min(bytes / 2, 900_000) }, (_, at) => at % 10)],
  ['many objects', (bytes) => Array.from({ length: Math.min(bytes / 12, 450_000) }, (_, at) => ({ a: at }))],
  [
    'many keys',
    (bytes) => Object.fromEntries(Array.from({ length: Math.min(bytes / 14, mostMembers) }, (_, at) => [`k${at}`, 1])),
  ],
  ['many short texts', (bytes) => Array.from({ length: Math.min(bytes / 14, 900_000) }, (_, at) => `see row ${at}`)],
  ['deep objects', (bytes) => Array.from({ length: Math.min(bytes / 1_000, 7_000) }, () => nested(120))],
]

const nested = (depth: number): JsonValue => (depth === 0 ? 1 : { a: nested(depth - 1) })

const texts = [...oddTexts, ...ruleTexts]
const secret = 'lovely-secret-1234'
const secrets = new Map([['key', secret]])
const scrubbed = (value: JsonValue) => inSlices(scrubInSteps(value, createScrubber(secrets)))

/** The secret itself, over and over; and beginnings of what looks like one, with a run of megabytes behind them. */
const secretTexts: readonly (readonly [string, string])[] = [
  ['the secret', `${secret} `],
  ['the secret with a sign spelled', '%6covely-secret-1234 '],
  ['keys', 'sk-A1345678901234567890123 '],
  ['one long key', 'ghp_a'],
]

const onTexts = (
  kind: string,
  bound: number,
  list: readonly (readonly [string, string])[],
  work: (text: string) => unknown,
) =>
  list.map(
    ([name, part]): StallCase => ({
      kind,
      name,
      bound,
      prepare(bytes) {
        const text = filled(part, bytes)
        return () => work(text)
      },
    }),
  )

const onShapes = (kind: string, bound: number, work: (value: JsonValue) => unknown) =>
  shapes.map(
    ([name, make]): StallCase => ({
      kind,
      name,
      bound,
      prepare(bytes) {
        const value = make(bytes)
        return () => work(value)
      },
    }),
  )

const limits = { maxBytes: 4 * resultBytes, maxValues: 1_000_000 } as const
const scanned = (value: JsonValue) => inSlices(scanForInjection(value))
const copied = (value: JsonValue) => inSlices(copyResultInSteps(value, limits, textCleaner(nothingCleaned())))

async function hashedAndWritten(value: JsonValue): Promise<void> {
  await inSlices(hashInSteps(value))
  await inSlices(jsonBytes(value))
}

export const textCases: readonly StallCase[] = [
  ...onTexts('scan for injections', resultBytes, texts, scanned),
  ...onShapes('scan for injections', resultBytes, scanned),
  ...onTexts('copy and clean', resultBytes, oddTexts, copied),
  ...onShapes('copy and clean', resultBytes, copied),
  ...onTexts('scrub', resultBytes, [...oddTexts, ...secretTexts], (text) => scrubbed({ text })),
  ...onShapes('scrub', resultBytes, scrubbed),
  ...onShapes('take over what a tool returned', resultBytes, (value) => inSlices(copyOfResultInSteps(value))),
  ...onTexts('read arguments', argumentBytes, oddTexts, (text) => readJson(JSON.stringify({ text }))),
  ...onTexts('read arguments that are none', argumentBytes, oddTexts, (text) => readJson(text)),
  ...onShapes('read arguments', argumentBytes, (value) => readJson(JSON.stringify(value))),
  ...onShapes('copy arguments', argumentBytes, (value) => copyParsed(value)),
  ...onTexts('hash arguments', argumentBytes, oddTexts, (text) => hashJson({ text })),
  ...onShapes('hash arguments', argumentBytes, (value) => hashJson(value)),
  ...onTexts('hash and write a result', resultBytes, oddTexts, (text) => hashedAndWritten({ text })),
  ...onShapes('hash and write a result', resultBytes, hashedAndWritten),
  ...onTexts('show to a person', argumentBytes, oddTexts, (text) => shownText(text)),
  ...onTexts('preview', resultBytes, oddTexts, (text) => previewOf(text, 1_024)),
  ...onShapes('preview', resultBytes, (value) => previewOf(value, 1_024)),
  ...onTexts('read an address of mail', argumentBytes, oddTexts, (text) => readAddress(text)),
]
