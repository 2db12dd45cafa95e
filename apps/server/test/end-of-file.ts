/** What tests and hooks of a file leave to be undone after it, the last one first. */
const steps: (() => unknown)[] = []

/** Unlike `afterAll`, a test or a hook may call it. */
export function atEndOfFile(step: () => unknown): void {
  steps.push(step)
}

export async function endFile(): Promise<void> {
  for (let step = steps.pop(); step; step = steps.pop()) await step()
}
