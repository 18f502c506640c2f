// What every request of ours knows of HTTP: which methods only read, which replies have no body, and which encodings it can undo.

const safe: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

export const isSafe = (method: string): boolean => safe.has(method)

/** Deflate is left out: servers do not agree what it is. */
export const acceptedEncodings = 'gzip, br'

/** Statuses of replies that have no body. */
export const bodiless: ReadonlySet<number> = new Set([204, 205, 304])
