import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { epochMs } from '../../json/clock.ts'
import { checkpointOrigin, signCheckpoint } from './checkpoint.ts'
import { keepCheckpoint, readKept, splitCheckpoints } from './kept-checkpoints.ts'
import { generateSigningKey } from './keys/signing-key.ts'
import { noHash } from './tree/tree-hash.ts'

const [key, other] = [generateSigningKey(), generateSigningKey()]
const texts = [1, 2, 3].map((size) =>
  signCheckpoint({ origin: checkpointOrigin('acme'), size, root: noHash, at: epochMs(0) }, key, other),
)

it('checkpoints added to a file are read back as they were', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'proviso-kept-'))
  try {
    const file = join(folder, 'checkpoints')
    expect(await readKept(file)).toMatchObject({ ok: false, reason: expect.stringContaining('ENOENT') })
    for (const text of texts) expect(await keepCheckpoint(file, text)).toEqual({ ok: true })
    expect(await readKept(file)).toEqual({ ok: true, checkpoints: texts })
    expect(await keepCheckpoint(join(folder, 'absent', 'file'), 'x')).toMatchObject({ ok: false })
  } finally {
    await rm(folder, { recursive: true })
  }
})

it('checkpoints sent to a URL count as kept only when the other side says so', async () => {
  const received: string[] = []
  const server = createServer(async (request, response) => {
    if (request.url === '/moved') return response.writeHead(302, { location: '/' }).end()
    if (request.url !== '/?token=secret') return response.writeHead(500).end()
    if (request.method === 'GET') return response.end(received.join('\n'))
    let body = ''
    for await (const piece of request) body += piece
    received.push(body)
    return response.writeHead(201).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  try {
    for (const text of texts) expect(await keepCheckpoint(`${base}/?token=secret`, text)).toEqual({ ok: true })
    expect(received).toEqual(texts)
    expect(await readKept(`${base}/?token=secret`)).toEqual({ ok: true, checkpoints: texts })
    const refused = await keepCheckpoint(`${base}/other?token=hidden`, 'x')
    expect(refused).toMatchObject({ ok: false, reason: expect.stringContaining('500') })
    expect(JSON.stringify(refused)).not.toContain('hidden')
    expect(await keepCheckpoint(`${base}/moved`, 'x')).toMatchObject({ ok: false })
  } finally {
    await new Promise((resolve) => server.close(resolve))
  }
  expect(await keepCheckpoint(base, 'x')).toMatchObject({ ok: false })
  expect(await readKept('http://')).toMatchObject({ ok: false })
})

it('a text is split at checkpoints, however they are spaced, and what is none stays to be judged', () => {
  expect(splitCheckpoints('')).toEqual([])
  expect(splitCheckpoints('\n\n')).toEqual([])
  expect(splitCheckpoints(texts.join('\n\n\n'))).toEqual(texts)
  expect(splitCheckpoints(`${texts[0]}\nrubbish\n\n${texts[1]}`)).toHaveLength(2)
})
