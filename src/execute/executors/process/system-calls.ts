// A filter of system calls that bubblewrap loads before the program starts: a program of classic BPF, written here byte by byte. It refuses
// the keys of the kernel, because a session's keyring is shared by all that one process starts, and memory that no limit counts. A call of
// another ABI, where the same number means another call, ends the program.
import { arch } from 'node:process'

/** Why there is no filter: the numbers of system calls are known for these machines alone. */
export const noFilter = 'The sandbox knows the system calls of x86-64 and arm64 alone, and this is another machine.'

interface Machine {
  /** AUDIT_ARCH_… as the kernel writes it. */
  readonly audit: number
  /** From this number on they are calls of another ABI. */
  readonly foreignFrom: number | undefined
  readonly always: readonly number[]
  readonly unlessShared: readonly number[]
}

// Always: add_key, request_key, keyctl, bpf, io_uring_setup. The last two hold memory as well, and a ring makes calls that no filter sees.
// Unless shared: memfd_create, memfd_secret, shmget, semget, msgget.
const machines: ReadonlyMap<string, Machine> = new Map([
  [
    'x64',
    {
      audit: 0xc000_003e,
      foreignFrom: 0x4000_0000,
      always: [248, 249, 250, 321, 425],
      unlessShared: [319, 447, 29, 64, 68],
    },
  ],
  [
    'arm64',
    {
      audit: 0xc000_00b7,
      foreignFrom: undefined,
      always: [217, 218, 219, 280, 425],
      unlessShared: [279, 447, 194, 190, 186],
    },
  ],
])

// Of linux/bpf_common.h and linux/seccomp.h.
const loadWord = 0x20
const jumpIfEqual = 0x15
const jumpIfAtLeast = 0x35
const giveBack = 0x06
const allow = 0x7fff_0000
const notPermitted = 0x0005_0001
const notThere = 0x0005_0026
const endTheProcess = 0x8000_0000
const numberOfCall = 0
const machineOfCall = 4

/** The bytes that `bubblewrap --seccomp` reads; undefined on a machine whose calls are not known. */
export function systemCallFilter(sharedMemory: boolean, machine: string = arch): Buffer | undefined {
  const known = machines.get(machine)
  if (known === undefined) return undefined
  const { audit, foreignFrom, always, unlessShared } = known
  const refused = [...always, ...(sharedMemory ? [] : unlessShared)]
  const steps = [
    step(loadWord, machineOfCall),
    step(jumpIfEqual, audit, 1, 0),
    step(giveBack, endTheProcess),
    step(loadWord, numberOfCall),
    ...(foreignFrom === undefined ? [] : [step(jumpIfAtLeast, foreignFrom, 0, 1), step(giveBack, notThere)]),
    // Each jumps over those behind it and over the step that allows.
    ...refused.map((number, index) => step(jumpIfEqual, number, refused.length - index, 0)),
    step(giveBack, allow),
    step(giveBack, notPermitted),
  ]
  return Buffer.concat(steps)
}

/** One instruction, in the byte order of these machines: what to do, how far to jump if it holds and if it does not, and a number. */
function step(code: number, value: number, ifSo = 0, ifNot = 0): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt16LE(code, 0)
  bytes.writeUInt8(ifSo, 2)
  bytes.writeUInt8(ifNot, 3)
  bytes.writeUInt32LE(value, 4)
  return bytes
}
