// Many texts as one binary parameter and where each begins: a batch sends its payloads as bytes, which are neither escaped nor parsed.

export interface Pack {
  /** Adds a text and gives its length in bytes; texts lie one after the other. */
  add(text: string): number
  /** Where the next text will begin, counted from 1 as SQL does. */
  readonly next: number
  bytes(): Buffer
}

export function createPack(): Pack {
  const parts: string[] = []
  let length = 0
  return {
    add(text) {
      if (text === '') return 0
      const bytes = Buffer.byteLength(text)
      parts.push(text)
      length += bytes
      return bytes
    },
    get next() {
      return length + 1
    },
    bytes() {
      // Written where they are sent from: joined first, every payload of a batch would be copied once more.
      const bytes = Buffer.allocUnsafe(length)
      let at = 0
      for (const part of parts) at += bytes.write(part, at)
      return bytes
    },
  }
}
