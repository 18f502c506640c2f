import { spawn } from 'node:child_process'
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { KeyTerms, StoredKey } from '../contract/approval/identity.ts'
import { epochMs, manualClock } from '../json/clock.ts'
import { systemEntropy } from '../json/id.ts'
import { identityOf } from './check-key.ts'
import { fileKeyStore, readKeys, writeKeys } from './file-key-store.ts'
import { createKey, opens, readCredential } from './key.ts'

const clock = manualClock()
const terms: KeyTerms = {
  tenant: 'acme',
  user: 'ann',
  kind: 'person',
  roles: ['approver'],
  scopes: ['invoices:read'],
  agent: undefined,
  expiresAt: undefined,
}
const make = (changes: Partial<KeyTerms> = {}) => {
  const made = createKey({ ...terms, ...changes }, { clock, entropy: systemEntropy })
  if (!made.ok) throw new Error(made.problems.join(' '))
  return made
}
const problemsOf = (changes: Partial<KeyTerms>) => {
  const made = createKey({ ...terms, ...changes }, { clock, entropy: systemEntropy })
  return made.ok ? 0 : made.problems.length
}
const verifyWith = (credential: string, key: StoredKey | undefined, at = clock) =>
  identityOf({ find: async (id) => (key?.id === id ? key : undefined) }, at).verify(credential)

describe('a key', () => {
  it('is shown once, opens its record, and leaves no trace of its secret', async () => {
    const { text, key } = make()
    expect(text).toMatch(/^pvk_[1-9A-HJ-NP-Za-km-z]{12}_[1-9A-HJ-NP-Za-km-z]{44}_[0-9a-f]{8}$/)
    const credential = readCredential(text)
    expect(credential?.id).toBe(key.id)
    expect(JSON.stringify(key)).not.toContain(credential?.secret)
    expect(await verifyWith(text, key)).toEqual({
      tenant: 'acme',
      user: 'ann',
      roles: ['approver'],
      scopes: ['invoices:read'],
      agent: undefined,
      keyId: key.id,
      kind: 'person',
    })
    expect(new Set(Array.from({ length: 200 }, () => make().text)).size).toBe(200)
  })

  it('draws every character of the alphabet about equally often', () => {
    const counts = new Map<string, number>()
    for (let round = 0; round < 500; round++) {
      for (const character of readCredential(make().text)?.secret ?? '')
        counts.set(character, (counts.get(character) ?? 0) + 1)
    }
    expect(counts.size).toBe(58)
    // 22,000 draws: 379 each, with a standard deviation of 19.
    for (const count of counts.values()) expect(Math.abs(count - 379)).toBeLessThan(130)
  })

  it('is not made without a user, for an agent without a name, or for the past', () => {
    expect(problemsOf({ tenant: '' })).toBe(1)
    expect(problemsOf({ user: ' ann' })).toBe(1)
    expect(problemsOf({ user: 'an\u200bn' })).toBe(1)
    expect(problemsOf({ user: 'x'.repeat(257) })).toBe(1)
    expect(problemsOf({ kind: 'agent' })).toBe(1)
    expect(problemsOf({ kind: 'agent', agent: 'bot' })).toBe(0)
    expect(problemsOf({ agent: 'bot' })).toBe(1)
    expect(problemsOf({ kind: 'root' as 'person' })).toBe(1)
    expect(problemsOf({ roles: [''] })).toBe(1)
    expect(problemsOf({ scopes: Array.from({ length: 101 }, (_, index) => `s${index}`) })).toBe(1)
    expect(problemsOf({ expiresAt: clock.now() })).toBe(1)
    expect(make({ roles: ['a', 'a'] }).key.roles).toEqual(['a'])
  })

  it('is refused when mistyped, cut short, or of another make', async () => {
    const { text, key } = make()
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.constantFrom('A', 'b', '0', '7', '_', 'é', ''), (index, character) => {
        const changed = text.slice(0, index) + character + text.slice(index + 1)
        return changed === text || readCredential(changed) === undefined
      }),
    )
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (other) => readCredential(other) === undefined))
    for (const other of [
      '',
      `${text} `,
      ` ${text}`,
      `${text}\n`,
      `Bearer ${text}`,
      text.toUpperCase(),
      'x'.repeat(1_000_000),
    ])
      expect(await verifyWith(other, key)).toBeUndefined()
    expect(await verifyWith(undefined as unknown as string, key)).toBeUndefined()
  })

  it('does not open another record, nor one that was tampered with', async () => {
    const { text, key } = make({ expiresAt: epochMs(clock.now() + 1_000) })
    const secret = readCredential(text)?.secret ?? ''
    expect(opens(secret, key)).toBe(true)
    const changes: readonly Partial<StoredKey>[] = [
      { tenant: 'globex' },
      { user: 'bob' },
      { kind: 'service' },
      { roles: ['approver', 'admin'] },
      { scopes: [] },
      { agent: 'bot' },
      { expiresAt: undefined },
      { expiresAt: epochMs(clock.now() + 9_999) },
      { createdAt: epochMs(0) },
      { id: make().key.id },
      { hash: make().key.hash },
      { hash: key.hash.slice(2) },
      { hash: '' },
    ]
    for (const change of changes) {
      expect(opens(secret, { ...key, ...change })).toBe(false)
      expect(await verifyWith(text, { ...key, ...change })).toBeUndefined()
    }
    const other = make({ tenant: 'globex' })
    // The record of one tenant under the id of another.
    expect(await verifyWith(text, { ...other.key, id: key.id })).toBeUndefined()
  })

  it('does not open once revoked or over', async () => {
    const own = manualClock()
    const { text, key } = make({ expiresAt: epochMs(own.now() + 1_000) })
    expect(await verifyWith(text, { ...key, revokedAt: epochMs(own.now() + 99_999) }, own)).toBeUndefined()
    own.advance(999)
    expect(await verifyWith(text, key, own)).toBeDefined()
    own.advance(1)
    expect(await verifyWith(text, key, own)).toBeUndefined()
  })

  it('is compared in constant time, and as much work is done for an id that no key has', async () => {
    const source = await readFile(new URL('./key.ts', import.meta.url), 'utf8')
    expect(source).toMatch(/&& timingSafeEqual\(made, kept\)/)
    const { text, key } = make()
    const asked: string[] = []
    const store = {
      find: async (id: string) => {
        asked.push(id)
        return undefined
      },
    }
    expect(await identityOf(store, clock).verify(text)).toBeUndefined()
    expect(asked).toEqual([key.id])
    expect(await identityOf(store, clock).verify(text.slice(1))).toBeUndefined()
    expect(asked).toHaveLength(1)
  })
})

describe('the key file', () => {
  let folder = ''
  let file = ''
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'proviso-keys-'))
    file = join(folder, 'deep', 'keys.json')
  })
  afterEach(() => rm(folder, { recursive: true }))

  it('keeps keys for its owner alone, without their secrets', async () => {
    const store = fileKeyStore(file)
    expect(await store.list()).toEqual([])
    const [one, other] = [
      make(),
      make({ tenant: 'globex', kind: 'agent', agent: 'bot', expiresAt: epochMs(clock.now() + 5) }),
    ]
    await store.save(one.key)
    await store.save(other.key)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect((await stat(join(folder, 'deep'))).mode & 0o777).toBe(0o700)
    expect(await fileKeyStore(file).list()).toEqual([one.key, other.key])
    expect(await store.list('globex')).toEqual([other.key])
    expect(await store.find(one.key.id)).toEqual(one.key)
    expect(await store.find('unknown')).toBeUndefined()
    const written = await readFile(file, 'utf8')
    for (const { text } of [one, other]) expect(written).not.toContain(readCredential(text)?.secret)
    expect(await readdir(join(folder, 'deep'))).toEqual(['keys.json'])
    await expect(store.save(one.key)).rejects.toThrow('exists already')
  })

  it('refuses a revoked key at once, also one that another process revoked', async () => {
    const [store, elsewhere] = [fileKeyStore(file), fileKeyStore(file)]
    const { text, key } = make()
    await store.save(key)
    const identity = identityOf(store, clock)
    expect(await identity.verify(text)).toMatchObject({ user: 'ann' })
    const at = epochMs(clock.now() + 7)
    expect(await elsewhere.revoke(key.id, at)).toEqual({ ...key, revokedAt: at })
    expect(await identity.verify(text)).toBeUndefined()
    expect(await store.revoke(key.id, epochMs(at + 1))).toEqual({ ...key, revokedAt: at })
    expect(await store.revoke('unknown', at)).toBeUndefined()
  })

  it('is refused as a whole where others may read it or it is damaged', async () => {
    const store = fileKeyStore(file)
    const { text, key } = make()
    await store.save(key)
    await chmod(file, 0o644)
    await expect(identityOf(store, clock).verify(text)).rejects.toThrow('may be used by others')
    await chmod(file, 0o600)
    expect(await identityOf(store, clock).verify(text)).toBeDefined()
    const whole = await readFile(file, 'utf8')
    for (const broken of [
      '',
      '{}',
      '[]',
      whole.slice(0, -5),
      whole.replace('"kind":"person"', '"kind":"king"'),
      whole.replace('"roles"', '"role"'),
    ]) {
      await writeFile(file, broken)
      await expect(store.list()).rejects.toThrow('cannot be used')
      await expect(store.save(make().key)).rejects.toThrow('cannot be used')
      expect(await readFile(file, 'utf8')).toBe(broken)
    }
  })

  it('reads back what it writes, and refuses what it does not write', () => {
    const keys = [make().key, make({ kind: 'agent', agent: 'bot' }).key, { ...make().key, revokedAt: epochMs(5) }]
    const written = writeKeys(keys)
    const read = readKeys(written)
    expect(read.ok && [...read.keys.values()]).toEqual(keys)
    expect(readKeys(writeKeys([]))).toMatchObject({ ok: true })
    expect(readKeys(writeKeys([keys[0], keys[0]] as StoredKey[]))).toMatchObject({ ok: false })
    for (const [from, to] of [
      ['"version": 1', '"version": 2'],
      ['.000Z"', 'Z"'],
      ['"agent":null', '"agent":7'],
      ['"hash":"', '"hash":"0'],
      ['"roles":["approver"]', '"roles":["approver",1]'],
    ] as const) {
      expect(written).toContain(from)
      expect(readKeys(written.replace(from, to))).toMatchObject({ ok: false })
    }
  })

  it('loses nothing when ten processes write at once', async () => {
    const script = `
      import { fileKeyStore } from ${JSON.stringify(new URL('./file-key-store.ts', import.meta.url).href)}
      import { createKey } from ${JSON.stringify(new URL('./key.ts', import.meta.url).href)}
      import { systemClock } from ${JSON.stringify(new URL('../json/clock.ts', import.meta.url).href)}
      import { systemEntropy } from ${JSON.stringify(new URL('../json/id.ts', import.meta.url).href)}
      const store = fileKeyStore(${JSON.stringify(file)})
      for (let index = 0; index < 2; index++) {
        const made = createKey({ tenant: 'acme', user: 'u' + process.pid, kind: 'person', roles: [], scopes: [] }, { clock: systemClock, entropy: systemEntropy })
        await store.save(made.key)
        if (index === 0) await store.revoke(made.key.id, systemClock.now())
      }`
    const runs = Array.from({ length: 10 }, async () => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      const errors = textOf(child.stderr)
      const code = await new Promise((resolve) => child.once('exit', resolve))
      return { code, errors: code === 0 ? '' : await errors }
    })
    expect(await Promise.all(runs)).toEqual(Array.from({ length: 10 }, () => ({ code: 0, errors: '' })))
    const keys = await fileKeyStore(file).list()
    expect(keys).toHaveLength(20)
    expect(keys.filter(({ revokedAt }) => revokedAt !== undefined)).toHaveLength(10)
    expect(await readdir(join(folder, 'deep'))).toEqual(['keys.json'])
  }, 60_000)

  it('says when it is full, and stays as it was', async () => {
    const store = fileKeyStore(file)
    const roles = Array.from({ length: 100 }, (_, index) => `${index}`.padEnd(256, 'x'))
    for (let index = 0; index < 39; index++) await store.save(make({ roles }).key)
    const before = await store.list()
    await expect(store.save(make({ roles, scopes: roles }).key)).rejects.toThrow('is full')
    expect(await store.list()).toEqual(before)
  }, 60_000)
})
