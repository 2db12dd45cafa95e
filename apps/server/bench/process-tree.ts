/** Processor time and memory of a process and its descendants, and how busy the machine is otherwise. Linux only. */
import { readdirSync, readFileSync } from 'node:fs'

/** The kernel counts processor time in hundredths of a second. */
const TICK_MS = 10

interface Stat {
  readonly parent: number
  /** Its own processor time, and that of its ended children. */
  readonly cpuMs: number
}

/** A process and all its descendants. */
function treeOf(pid: number): readonly number[] {
  const children = new Map<number, number[]>()
  for (const entry of readdirSync('/proc')) {
    const child = Number(entry)
    const parent = Number.isInteger(child) ? statOf(child)?.parent : undefined
    if (parent === undefined) continue
    children.set(parent, [...(children.get(parent) ?? []), child])
  }
  const tree = [pid]
  for (const member of tree) tree.push(...(children.get(member) ?? []))
  return tree
}

export function treeCpuMs(pid: number): number {
  return treeOf(pid).reduce((sum, member) => sum + (statOf(member)?.cpuMs ?? 0), 0)
}

/** Proportional set size in bytes, which counts memory shared by several processes once. */
export function treeBytes(pid: number): number {
  return treeOf(pid).reduce((sum, member) => sum + proportionalBytes(member), 0)
}

/** Total processor time of the machine, in milliseconds. */
export function machineCpuMs(): number {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n')
  const [user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0, steal = 0] = line
    .split(/ +/)
    .slice(1)
    .map(Number)
  return (user + nice + system + irq + softIrq + steal) * TICK_MS
}

/** `undefined` for a process that has ended. Fields of `man 5 proc_pid_stat`; the name before them may contain blanks. */
function statOf(pid: number): Stat | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
      .map(Number)
    const ticks = [11, 12, 13, 14].reduce((sum, at) => sum + (fields[at] ?? 0), 0)
    return { parent: fields[1] ?? 0, cpuMs: ticks * TICK_MS }
  } catch {
    return undefined
  }
}

function proportionalBytes(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
    return Number(/^Pss:\s+(\d+) kB$/m.exec(text)?.[1] ?? 0) * 1_024
  } catch {
    return 0
  }
}
