import { createPublicKey } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { epochMs } from '../../json/clock.ts'
import { type Checkpoint, checkpointOrigin, readCheckpoint, signCheckpoint, verifyCheckpoint } from './checkpoint.ts'
import { publicKeyOf, readPublicKey } from './keys/public-key.ts'
import { checkNote, readSignedNote, signNote } from './keys/signed-note.ts'
import { generateSigningKey } from './keys/signing-key.ts'
import { leafHash } from './tree/tree-hash.ts'

const key = generateSigningKey()
const stranger = generateSigningKey()
const head: Checkpoint = {
  origin: checkpointOrigin('acme'),
  size: 42,
  root: leafHash(Buffer.from('root')),
  at: epochMs(Date.UTC(2026, 0, 2, 3, 4, 5, 6)),
}
const text = signCheckpoint(head, key)

describe('a checkpoint', () => {
  it('is four lines, an empty one, and a signature', () => {
    const root = Buffer.from(head.root).toString('base64')
    expect(
      text.startsWith(`proviso/acme\n42\n${root}\ntime 2026-01-02T03:04:05.006Z\n\n— ${key.publicKey.name} `),
    ).toBe(true)
    expect(text.split('\n')).toHaveLength(7)
    const reading = readCheckpoint(text)
    expect(reading.ok && reading.checkpoint).toEqual(head)
  })

  it('is accepted from a trusted key and from no other', () => {
    expect(verifyCheckpoint(text, [stranger.publicKey, key.publicKey])).toMatchObject({ ok: true, checkpoint: head })
    expect(verifyCheckpoint(text, [stranger.publicKey])).toMatchObject({ ok: false })
    expect(verifyCheckpoint(text, [])).toMatchObject({ ok: false })
    expect(verifyCheckpoint(signCheckpoint(head, stranger), [key.publicKey])).toMatchObject({ ok: false })
  })

  it('may carry the signatures of an old and a new key, none of which may be wrong', () => {
    const both = signCheckpoint(head, key, stranger)
    for (const { publicKey } of [key, stranger]) expect(verifyCheckpoint(both, [publicKey]).ok).toBe(true)
    const [body, lines] = both.split('\n\n') as [string, string]
    const [mine, theirs] = lines.split('\n') as [string, string]
    const spoilt = `${theirs.slice(0, -6)}AAAA==`
    const mixed = `${body}\n\n${mine}\n${spoilt}\n`
    expect(verifyCheckpoint(mixed, [key.publicKey]).ok).toBe(true)
    expect(verifyCheckpoint(mixed, [key.publicKey, stranger.publicKey]).ok).toBe(false)
  })

  it('is refused when any one character of it is changed, dropped or doubled', () => {
    for (let at = 0; at < text.length; at++) {
      const variants = [
        text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1),
        text.slice(0, at) + text.slice(at + 1),
        text.slice(0, at) + text[at] + text.slice(at),
      ]
      for (const variant of variants) expect(verifyCheckpoint(variant, [key.publicKey]).ok).toBe(false)
    }
  })

  it('has one spelling, even where a signature would fit another', () => {
    const root = Buffer.from(head.root).toString('base64')
    const time = 'time 2026-01-02T03:04:05.006Z'
    const bodies = [
      `proviso/acme\n042\n${root}\n${time}\n`,
      `proviso/acme\n4.2e1\n${root}\n${time}\n`,
      `proviso/acme\n9007199254740993\n${root}\n${time}\n`,
      `proviso/acme\n-1\n${root}\n${time}\n`,
      `proviso/acme\n42\n${root.slice(0, -1)}\n${time}\n`,
      `proviso/acme\n42\n${root.slice(0, -2)}${root.at(-2) === 'A' ? 'B' : 'A'}=\n`,
      `proviso/acme\n42\n${root}\ntime 2026-01-02T03:04:05Z\n`,
      `proviso/acme\n42\n${root}\ntime 2026-02-30T03:04:05.006Z\n`,
      `proviso/acme\n42\n${root}\n${time}\nmore\n`,
      `proviso/acme\n42\n${root}\n`,
      `proviso/%2f\n42\n${root}\n${time}\n`,
      `proviso/a b\n42\n${root}\n${time}\n`,
      `other/acme\n42\n${root}\n${time}\n`,
    ]
    for (const body of bodies) expect(verifyCheckpoint(signNote(body, [key]), [key.publicKey]).ok).toBe(false)
    const line = text.split('\n').at(-2)
    for (const variant of [
      `${text}\n`,
      `\n${text}`,
      text.slice(0, -1),
      `${text}${line}\n`,
      text.replaceAll('\n', '\r\n'),
    ])
      expect(readCheckpoint(variant).ok).toBe(false)
  })

  it('throws over no text', () => {
    const piece = fc.constantFrom(
      '\n',
      '— ',
      '\n\n',
      'proviso/',
      '1',
      '=',
      ' ',
      '\u0000',
      '\ud800',
      text,
      key.publicKey.name,
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const made = pieces.join('')
        expect(verifyCheckpoint(made, [key.publicKey]).ok).toBe(made === text)
      }),
    )
    expect(readCheckpoint('x\n'.repeat(1_000_000)).ok).toBe(false)
  })
})

describe('an origin', () => {
  it('is one line without spaces, and another one for every tenant', () => {
    const name = fc.string({ unit: 'binary', maxLength: 6 })
    const odd = fc.string({
      unit: fc.constantFrom('a', '%', '/', '\n', ' ', '+', 'é', '%0A', '\ud800', '\udc00'),
      maxLength: 6,
    })
    fc.assert(
      fc.property(fc.oneof(name, odd), fc.oneof(name, odd), (one, other) => {
        expect(checkpointOrigin(one)).toMatch(/^proviso\/[A-Za-z0-9._~%-]*$/)
        expect(checkpointOrigin(one) === checkpointOrigin(other)).toBe(one === other)
        const signed = signCheckpoint({ ...head, origin: checkpointOrigin(one) }, key)
        expect(verifyCheckpoint(signed, [key.publicKey]).ok).toBe(true)
      }),
    )
    expect(checkpointOrigin('a/b c')).toBe('proviso/a%2Fb%20c')
  })
})

describe('a public key', () => {
  it('is read back from its line, and from no other spelling', () => {
    const line = key.publicKey.text
    expect(readPublicKey(line)).toMatchObject({ name: key.publicKey.name, id: key.publicKey.id })
    const [name, id, encoded] = line.split(/\+(.{8})\+/) as [string, string, string]
    for (const variant of [
      `other+${id}+${encoded}`,
      `${name}+00000000+${encoded}`,
      `${name}+${id}+${encoded}A`,
      `${line}\n`,
      ` ${line}`,
      stranger.publicKey.text.replace(stranger.publicKey.name, name),
      '',
    ])
      expect(readPublicKey(variant)).toBeUndefined()
  })

  it('is no other kind of key', () => {
    const curve = createPublicKey({
      key: {
        kty: 'EC',
        crv: 'P-256',
        x: 'axfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpY',
        y: 'T-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU',
      },
      format: 'jwk',
    })
    expect(() => publicKeyOf(curve)).toThrow(TypeError)
  })
})

describe('a signed note', () => {
  it('made by another implementation is read and accepted', () => {
    // The example of the Go implementation that the specification grew out of.
    const raw = Buffer.from('AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k', 'base64').subarray(1)
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: raw.toString('base64url') }
    const foreign = {
      name: 'example.com/foo',
      id: '530d903a',
      text: '',
      key: createPublicKey({ key: jwk, format: 'jwk' }),
    }
    const signature = 'Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM='
    const note = readSignedNote(`This is an example message.\n\n— example.com/foo ${signature}\n`)
    if (note === undefined) throw new Error('The note was not read')
    expect(checkNote(note, [foreign])).toEqual({ ok: true, signers: [foreign] })
    expect(checkNote({ ...note, text: 'This is another message.\n' }, [foreign]).ok).toBe(false)
  })

  it('is not made of a text that could be split elsewhere', () => {
    for (const body of ['no newline', 'two\n\nparts\n', 'bell\u0007\n'])
      expect(() => signNote(body, [key])).toThrow(RangeError)
  })
})
