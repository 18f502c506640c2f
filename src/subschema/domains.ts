// The table of domains: one per JSON type, in the order in which examples are preferred.
import type { Domain, Engine, JsonType } from './engine.ts'
import { openFinite } from './finite.ts'
import { openLists } from './lists.ts'
import { openNumbers } from './numbers.ts'
import { openRecords } from './records.ts'
import { openTexts } from './texts.ts'

export const domains: Readonly<Record<JsonType, (engine: Engine) => Domain>> = {
  null: () => openFinite([null]),
  boolean: () => openFinite([true, false]),
  number: openNumbers,
  string: openTexts,
  array: openLists,
  object: openRecords,
}

export const jsonTypes = Object.keys(domains) as readonly JsonType[]
