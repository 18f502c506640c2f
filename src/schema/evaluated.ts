// Which parts of one object or array some keyword has already judged; what `unevaluated…` leaves out.

/** One per value and per schema that asks; a branch that fails drops its own. */
export class Evaluated {
  all = false
  /** Items before this index. */
  before = 0
  readonly parts = new Set<string | number>()

  has(part: string | number): boolean {
    return this.all || (typeof part === 'number' && part < this.before) || this.parts.has(part)
  }

  merge(other: Evaluated): void {
    this.all ||= other.all
    this.before = Math.max(this.before, other.before)
    for (const part of other.parts) this.parts.add(part)
  }
}
