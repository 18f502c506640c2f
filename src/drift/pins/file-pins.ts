// Pins in a file beside the code, such as proviso.pins.json: committed and reviewed like a lock file. It is written whole and in one step;
// one that was edited so that a tool no longer is what its hash says is refused.
import { randomUUID } from 'node:crypto'
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { Fault } from '../../contract/fault.ts'
import { type EpochMs, toIso } from '../../json/clock.ts'
import { hashJson } from '../../json/hash.ts'
import { readJson } from '../../json/read.ts'
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import { withLock } from '../../ledger/files/lock.ts'
import { type Pin, type PinnedMalformed, type PinnedTool, type PinStore, pinId } from '../../ledger/ports/pins.ts'

export const defaultPinFile = 'proviso.pins.json'

const format = 1
const limits = { maxBytes: 64 * 1_048_576, maxDepth: 520, maxValues: 5_000_000 }

/** A file that is not there has no pins. Throws a Fault for one that cannot be read. */
export function filePins(file: string): PinStore {
  /** Calls ask every few seconds, and 14 MB take 0.2 s to be read and hashed. */
  let last: { readonly stamp: string; readonly pins: readonly Pin[] } | undefined
  const read = async (): Promise<readonly Pin[]> => {
    let text: string
    let stamp: string
    try {
      // Before it is read: a file that is replaced in between has another stamp the next time.
      const { ino, size, mtimeNs, ctimeNs } = await stat(file, { bigint: true })
      stamp = `${ino} ${size} ${mtimeNs} ${ctimeNs}`
      if (last?.stamp === stamp) return last.pins
      text = await readFile(file, 'utf8')
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
      throw broken(file, 'it cannot be read')
    }
    const pins = pinsIn(text)
    last = { stamp, pins }
    return pins
  }
  const pinsIn = (text: string): readonly Pin[] => {
    const reading = readJson(text, limits)
    if (!reading.ok) throw broken(file, reading.refusal.message)
    const { value } = reading
    if (!isObject(value) || value.proviso_pins !== format || !Array.isArray(value.pins))
      throw broken(file, `it does not begin with "proviso_pins": ${format}`)
    return value.pins.map((pin, index) => {
      const found = pinOf(pin)
      if (typeof found === 'string') throw broken(file, `/pins/${index}: ${found}`)
      return found
    })
  }

  return {
    reviewed: true,
    async get(key) {
      const id = pinId(key)
      return (await read()).find((pin) => pinId(pin) === id)
    },
    list: read,
    // One at a time, also of other processes: each writes the pins of all sources.
    save: (pin) => withLock(`${file}.lock`, () => add(pin)),
  }

  async function add(pin: Pin): Promise<boolean> {
    const id = pinId(pin)
    const pins = await read()
    const old = pins.find((known) => pinId(known) === id)
    if (pin.revision !== (old?.revision ?? 0) + 1) return false
    const next = [...pins.filter((known) => known !== old), pin].sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))
    await replace(file, `${JSON.stringify({ proviso_pins: format, pins: next.map(wireOf) }, null, 2)}\n`)
    return true
  }
}

const sortKey = (pin: Pin): string => `${pin.source}\0${pinId(pin)}`

async function replace(file: string, text: string): Promise<void> {
  const beside = `${file}.${randomUUID()}.tmp`
  try {
    await writeFile(beside, text, { flag: 'wx' })
    await rename(beside, file)
  } catch (error) {
    await rm(beside, { force: true })
    throw error
  }
}

function wireOf({ source, capabilities, kind, place, revision, tools, malformed }: Pin): JsonObject {
  return {
    source,
    capabilities,
    kind,
    ...(place === undefined ? {} : { place }),
    revision,
    tools: tools.map(({ name, hash, approvedBy, approvedAt, why, raw, snapshot }) => ({
      name,
      hash,
      approved_by: approvedBy,
      approved_at: toIso(approvedAt),
      ...(why === undefined ? {} : { why }),
      raw,
      ...(snapshot === undefined ? {} : { snapshot }),
    })),
    ...(malformed.length === 0 ? {} : { malformed: malformed.map(({ name, hash, raw }) => ({ name, hash, raw })) }),
  }
}

/** The pin, or what is wrong with it. */
function pinOf(value: JsonValue): Pin | string {
  if (!isObject(value)) return 'it is no object'
  const { source, capabilities, kind, place, revision, tools, malformed = [] } = value
  if (typeof source !== 'string' || source === '') return 'it names no source'
  if (!isObject(capabilities) || (place !== undefined && !isObject(place))) return 'capabilities and place are objects'
  if (kind !== 'mcp' && kind !== 'openapi') return 'kind is mcp or openapi'
  if (typeof revision !== 'number' || !Number.isInteger(revision) || revision < 1) return 'revision counts from 1'
  if (!Array.isArray(tools) || !Array.isArray(malformed)) return 'tools is a list'
  const pinned: PinnedTool[] = []
  for (const tool of tools) {
    const found = pinnedTool(tool)
    if (typeof found === 'string') return found
    pinned.push(found)
  }
  const broken: PinnedMalformed[] = []
  for (const entry of malformed) {
    if (!isObject(entry) || typeof entry.name !== 'string' || typeof entry.hash !== 'string')
      return 'malformed is a list'
    broken.push({ name: entry.name, hash: entry.hash, raw: entry.raw ?? null })
  }
  if (new Set(pinned.map(({ name }) => name)).size < pinned.length) return 'a name stands there twice'
  return {
    source,
    capabilities,
    kind,
    ...(place === undefined ? {} : { place }),
    revision,
    tools: pinned,
    malformed: broken,
  }
}

function pinnedTool(value: JsonValue): PinnedTool | string {
  if (!isObject(value)) return 'a tool is no object'
  const { name, hash, approved_by: approvedBy, approved_at: at, why, raw, snapshot } = value
  if (typeof name !== 'string' || typeof hash !== 'string' || raw === undefined) return 'a tool has name, hash and raw'
  if (typeof approvedBy !== 'string' || typeof at !== 'string') return `${name}: who approved it, and when?`
  const approvedAt = Date.parse(at)
  if (Number.isNaN(approvedAt)) return `${name}: approved_at is no instant`
  if (snapshot !== undefined && !isObject(snapshot)) return `${name}: snapshot is an object`
  if (hash !== hashJson(snapshot === undefined ? raw : [raw, snapshot]))
    return `${name} is not what its hash says: pin it again instead of editing it`
  return {
    name,
    hash,
    raw,
    ...(snapshot === undefined ? {} : { snapshot }),
    approvedBy,
    approvedAt: approvedAt as EpochMs,
    ...(typeof why === 'string' ? { why } : {}),
  }
}

const broken = (file: string, why: string): Fault => new Fault('bad_options', `${file} cannot be used: ${why}.`)
