// The body of a reply, decoded and never longer than allowed: what unpacks to more is cut off while it unpacks.
import type { IncomingMessage } from 'node:http'
import { pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip } from 'node:zlib'

export type Body =
  | { readonly kind: 'body'; readonly bytes: Buffer }
  /** So many bytes had come, unpacked. */
  | { readonly kind: 'too_large'; readonly bytes: number }
  | { readonly kind: 'cut_off' | 'bad_encoding' }

export async function readBody(message: IncomingMessage, maxBytes: number): Promise<Body> {
  const decoded = decode(message)
  if (decoded === undefined) {
    message.destroy()
    return { kind: 'bad_encoding' }
  }
  const chunks: Buffer[] = []
  try {
    for await (const chunk of withinBytes(decoded, maxBytes)) chunks.push(chunk)
  } catch (error) {
    message.destroy()
    if (error instanceof TooLarge) return { kind: 'too_large', bytes: error.bytes }
    return { kind: message.complete ? 'bad_encoding' : 'cut_off' }
  }
  return message.complete ? { kind: 'body', bytes: Buffer.concat(chunks) } : { kind: 'cut_off' }
}

class TooLarge extends Error {
  readonly bytes: number
  constructor(bytes: number, most: number) {
    super(`The response is longer than ${most} bytes.`)
    this.bytes = bytes
  }
}

/** The chunks of a stream, until they are more than allowed. */
export async function* withinBytes(stream: Readable, maxBytes: number): AsyncGenerator<Buffer> {
  let length = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    length += chunk.byteLength
    if (length > maxBytes) {
      stream.destroy()
      throw new TooLarge(length, maxBytes)
    }
    yield chunk
  }
}

/** Undefined for an encoding that was not asked for. */
export function decode(message: IncomingMessage): Readable | undefined {
  const encoding = (message.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  if (encoding === 'identity' || encoding === '') return message
  const decoder =
    encoding === 'gzip' || encoding === 'x-gzip'
      ? createGunzip()
      : encoding === 'br'
        ? createBrotliDecompress()
        : undefined
  // Errors of either end come out of the decoder.
  if (decoder !== undefined) pipeline(message, decoder, () => undefined)
  return decoder
}
