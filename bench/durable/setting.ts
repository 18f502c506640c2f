// What every contender is given alike.

/** Of the arguments of one call. */
export const argumentBytes = 200

/** Of the facts that a batched call keeps with each of its two statements; together about as many as Proviso keeps of a call. */
export const bytesBefore = 1_050
export const bytesAfter = 450
