// What a row of facts is salted with, drawn here: the database takes ten times as long for as many random bytes.
import { randomFillSync } from 'node:crypto'

/** Together with the row's ticket they are the 32 that a commitment takes. */
const saltBytes = 24
const pool = Buffer.allocUnsafeSlow(saltBytes * 256)
let next = pool.length

/** In hex; no two are drawn from the same bytes. */
export function freshSalt(): string {
  if (next === pool.length) {
    randomFillSync(pool)
    next = 0
  }
  next += saltBytes
  return pool.toString('hex', next - saltBytes, next)
}
