/** An interruptible sleep for one loop. It does not keep the process alive. */
export class Alarm {
  private hasRung = false
  private wake: () => void = () => {}

  /** Resolves after `ms`, or when {@link ring} is called; at once if it was called since the last sleep. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer)
        this.hasRung = false
        this.wake = () => {}
        resolve()
      }
      const timer = setTimeout(end, ms)
      timer.unref()
      this.wake = end
      if (this.hasRung) end()
    })
  }

  ring(): void {
    this.hasRung = true
    this.wake()
  }
}
