// What queries/record-verifying.sql takes beyond queries/record.sql: which effects are to be read back, and which have been.
import type { RecordItem } from './record.ts'

/** Undefined where nothing of these items is verified: then the plain statement does. */
export function verificationValues(items: readonly RecordItem[]): readonly unknown[] | undefined {
  if (items.every(({ entry }) => entry.verify === undefined && entry.verified !== true)) return undefined
  const asked = items.flatMap(({ entry: { call, verify } }, index) =>
    verify === undefined ? [] : [{ place: index + 1, call, verify }],
  )
  return [
    asked.map(({ place }) => place),
    asked.map(({ call }) => call.id),
    asked.map(({ call }) => call.key.tenant),
    asked.map(({ call }) => call.contractHash),
    asked.map(({ verify }) => verify.slotKey ?? null),
    asked.map(({ verify }) => verify.generation),
    asked.map(({ verify }) => verify.afterMs),
    asked.map(({ verify }) => verify.reads),
    asked.map(({ verify }) => Buffer.from(JSON.stringify(verify.body))),
    items.flatMap(({ entry }) => (entry.verified === true ? [entry.call.id] : [])),
  ]
}
