// Measures what the package weighs for those who install it: size on disk, size of the tarball, time to import. `--json` prints one line.
import { probeImport } from './import-probe.ts'
import { packAndInstall } from './packed-package.ts'

const samples = 15
const packing = await packAndInstall()
if (!packing.ok) {
  console.error(`Not measured: ${packing.reason}`)
  process.exitCode = 1
} else {
  const { consumer, installedBytes, packedBytes, remove } = packing.package
  const probes = []
  for (let index = 0; index < samples; index++) probes.push(await probeImport(consumer, process.execPath, false))
  const times = probes.map((probe) => probe.ms).sort((a, b) => a - b)
  const weight = {
    installed_mb: round(installedBytes / 1_000_000),
    import_ms: round(times[Math.floor(samples / 2)] ?? Number.NaN),
    packed_kb: round(packedBytes / 1_000),
    side_effects: probes.some((probe) => probe.sideEffects.length > 0),
    node: process.version,
  }
  await remove()
  if (process.argv.includes('--json')) console.log(JSON.stringify(weight))
  else for (const [name, value] of Object.entries(weight)) console.log(`${name.padEnd(14)} ${value}`)
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
