import { execFile } from 'node:child_process'
import { chmod, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { manualClock } from '../../../json/clock.ts'
import { extendChain, followChain, readChain, startChain, writeChain } from './key-chain.ts'
import { chainFileOf, loadOrCreateKey, rotateKey } from './key-file.ts'
import { generateSigningKey, readSigningKey, writeSigningKey } from './signing-key.ts'

const run = promisify(execFile)
const clock = manualClock()
let folder: string
let file: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'proviso-key-'))
  file = join(folder, 'keys', 'log.pem')
})

afterEach(() => rm(folder, { recursive: true, force: true }))

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8)

async function load() {
  const loading = await loadOrCreateKey(file, clock)
  if (!loading.ok) throw new Error(loading.reason)
  return loading
}

async function rotate() {
  const rotation = await rotateKey(file, clock)
  if (!rotation.ok) throw new Error(rotation.reason)
  return rotation
}

describe('a key file', () => {
  it('is made for its owner alone, and loaded again', async () => {
    const made = await load()
    expect(made.created).toBe(true)
    expect(await modeOf(file)).toBe('600')
    expect(await modeOf(join(folder, 'keys'))).toBe('700')
    expect(await modeOf(chainFileOf(file))).toBe('644')
    expect(await readFile(file, 'utf8')).toMatch(/^-----BEGIN PRIVATE KEY-----\n/)
    const again = await load()
    expect(again.created).toBe(false)
    expect(again.key.publicKey.text).toBe(made.key.publicKey.text)
    expect((await readdir(join(folder, 'keys'))).sort()).toEqual(['log.pem', 'log.pem.pub'])
  })

  it('is one for ten processes that start at once', async () => {
    const module = new URL('./key-file.ts', import.meta.url).href
    const script = `const { loadOrCreateKey } = await import(${JSON.stringify(module)})
      const loading = await loadOrCreateKey(process.argv[1])
      console.log(loading.ok ? loading.key.publicKey.text : loading.reason)`
    const runs = Array.from({ length: 10 }, () => run(process.execPath, ['--input-type=module', '-e', script, file]))
    const keys = (await Promise.all(runs)).map(({ stdout }) => stdout.trim())
    expect(new Set(keys)).toEqual(new Set([(await load()).key.publicKey.text]))
    expect((await readdir(join(folder, 'keys'))).sort()).toEqual(['log.pem', 'log.pem.pub'])
  }, 60_000)

  it('is not loaded while others may read it, and says what to do', async () => {
    await load()
    for (const mode of [0o644, 0o640, 0o660, 0o602]) {
      await chmod(file, mode)
      expect(await loadOrCreateKey(file)).toMatchObject({ ok: false, reason: expect.stringContaining('chmod 600') })
    }
    await chmod(file, 0o400)
    expect((await loadOrCreateKey(file)).ok).toBe(true)
  })

  it('that holds something else is refused and left as it is', async () => {
    await load()
    await writeFile(file, 'not a key')
    const refused = await loadOrCreateKey(file)
    expect(refused).toMatchObject({ ok: false })
    expect(JSON.stringify(refused)).not.toContain('not a key')
    expect(await readFile(file, 'utf8')).toBe('not a key')
    const other = generateSigningKey()
    await writeFile(file, writeSigningKey(other))
    expect(await loadOrCreateKey(file)).toMatchObject({ ok: false, reason: expect.stringContaining('does not list') })
    expect(readSigningKey('-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n')).toBeUndefined()
  })
})

describe('a rotation', () => {
  it('leaves the old key known, so that trust in the first leads to the last', async () => {
    const first = await load()
    clock.advance(1_000)
    const second = await rotate()
    const third = await rotate()
    expect(await modeOf(file)).toBe('600')
    expect((await load()).key.publicKey.text).toBe(third.key.publicKey.text)
    const reading = readChain(await readFile(chainFileOf(file), 'utf8'))
    if (!reading.ok) throw new Error(reading.reason)
    const all = [first, second, third].map(({ key }) => key.publicKey.text)
    expect(followChain(reading.chain, [first.key.publicKey]).map(({ text }) => text)).toEqual(all)
    expect(followChain(reading.chain, [third.key.publicKey]).map(({ text }) => text)).toEqual(all.slice(2))
    const stranger = generateSigningKey().publicKey
    expect(followChain(reading.chain, [stranger])).toEqual([stranger])
    expect((await readdir(join(folder, 'keys'))).sort()).toEqual(['log.pem', 'log.pem.pub'])
  })

  it('that was cut short before the chain was written is finished by the next', async () => {
    const first = await load()
    const next = generateSigningKey()
    await writeFile(`${file}.next`, writeSigningKey(next), { mode: 0o600 })
    expect((await load()).key.publicKey.text).toBe(first.key.publicKey.text)
    expect((await rotate()).key.publicKey.text).toBe(next.publicKey.text)
    expect((await load()).chain).toHaveLength(2)
  })

  it('that was cut short after the chain was written is finished by the next', async () => {
    const first = await load()
    const pem = await readFile(file, 'utf8')
    const second = await rotate()
    await rename(file, `${file}.next`)
    await writeFile(file, pem, { mode: 0o600 })
    expect((await load()).key.publicKey.text).toBe(first.key.publicKey.text)
    expect((await rotate()).key.publicKey.text).toBe(second.key.publicKey.text)
    expect((await load()).chain).toHaveLength(2)
    await writeFile(file, pem, { mode: 0o600 })
    expect(await rotateKey(file)).toMatchObject({ ok: false, reason: expect.stringContaining('names a later key') })
  })

  it('waits for no other: it says that one is at work', async () => {
    await load()
    await writeFile(`${file}.lock`, '1\n')
    expect(await rotateKey(file)).toMatchObject({ ok: false, reason: expect.stringContaining('.lock') })
  })
})

describe('a chain of keys', () => {
  const [first, second, third] = [generateSigningKey(), generateSigningKey(), generateSigningKey()]
  const chain = extendChain(
    extendChain(startChain(first.publicKey, clock.now()), first, second.publicKey, clock.now()),
    second,
    third.publicKey,
    clock.now(),
  )
  const text = writeChain(chain)

  it('is read back as it was written', () => {
    const reading = readChain(text)
    expect(reading.ok && writeChain(reading.chain)).toBe(text)
  })

  it('is refused when a key is left out, exchanged, reordered or dated anew', () => {
    const [a, b, c] = chain as [(typeof chain)[0], (typeof chain)[0], (typeof chain)[0]]
    const stranger = generateSigningKey().publicKey
    const variants = [
      [a, c],
      [b, c],
      [a, c, b],
      [a, { ...b, previousSignature: undefined }],
      [a, { ...b, publicKey: stranger, id: stranger.id }],
      [{ ...a, publicKey: stranger, id: stranger.id }, b],
      [a, { ...b, validFrom: '2025-01-01T00:00:00.000Z' }],
      [a, { ...b, id: '00000000' }],
      [],
    ]
    for (const variant of variants) expect(readChain(writeChain(variant)).ok).toBe(false)
    for (const other of ['', '[]', '{}', '{"format":"proviso.audit-keys.v1","keys":[1]}', '['.repeat(10_000)])
      expect(readChain(other).ok).toBe(false)
  })

  it('is extended by its newest key alone', () => {
    expect(() => extendChain(chain, first, generateSigningKey().publicKey, clock.now())).toThrow(RangeError)
  })
})
