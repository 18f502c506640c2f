// What every contender is given alike.

/** Of the arguments of one call. */
export const argumentBytes = 200

/** Facts that a batched call keeps until its effect, and after it; together fourteen, each about as long as one of Proviso's. */
export const factsBefore = 10
export const factsAfter = 4
export const factBytes = 140
