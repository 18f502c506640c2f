// Who reaches what of another, for every public method: generated from the types, played, and held to one table.
import { expect, it } from 'vitest'
import { figuresOf, methodsOf, missedIn, playMatrix } from '../bench/access/matrix.ts'
import { methods, reasons } from '../bench/access/methods.ts'
import { dimensions, makeWorld, objectKinds } from '../bench/access/world.ts'

it('every public method has a row, and every row is a method [access-is-a-matrix]', async () => {
  const world = await makeWorld()
  // The type of the table asks for a row for each method of the interface; this, for each that an opened Proviso really has.
  expect(Object.keys(methods).sort()).toEqual(methodsOf(world))
  await world.proviso.close()
})

it('no one of another tenant, user, agent or role reaches what is not declared as shared, and each declaration is needed [access-is-a-matrix]', async () => {
  const cells = await playMatrix()
  expect(missedIn(cells)).toEqual([])
  const figures = figuresOf(cells)
  expect(figures).toMatchObject({ missed: 0, idle: [] })
  expect(figures.cells).toBe(Object.keys(methods).length * objectKinds.length * dimensions.length)
  expect(figures.refused + figures.shared).toBe(figures.cells)
  const used = new Set(cells.map(({ shared }) => shared))
  expect(Object.keys(reasons).filter((reason) => !used.has(reason as keyof typeof reasons))).toEqual([])
}, 240_000)
