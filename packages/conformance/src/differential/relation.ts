/** Relates values that the two targets choose: ids one to one, indexes also in order. */

/** A one-to-one relation between values of the two sides. */
export class Bijection {
  private readonly leftToRight = new Map<string, string>()
  private readonly rightToLeft = new Map<string, string>()

  /** Relates two values unless either is already related to another value. */
  relate(left: string, right: string): boolean {
    const [known, back] = [this.leftToRight.get(left), this.rightToLeft.get(right)]
    if (known === undefined && back === undefined) {
      this.leftToRight.set(left, right)
      this.rightToLeft.set(right, left)
      return true
    }
    return known === right && back === left
  }
}

/** Like {@link Bijection}, and order-preserving. */
export class OrderedBijection {
  /** Ascending on both sides. */
  private readonly pairs: [left: number, right: number][] = []

  relate(left: number, right: number): boolean {
    const at = this.placeOf(left)
    const [before, here] = [this.pairs[at - 1], this.pairs[at]]
    if (here?.[0] === left) return here[1] === right
    if ((before && before[1] >= right) || (here && here[1] <= right)) return false
    this.pairs.splice(at, 0, [left, right])
    return true
  }

  /** The first position whose left side is not smaller. */
  private placeOf(left: number): number {
    let [low, high] = [0, this.pairs.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.pairs[middle]?.[0] ?? 0) < left) low = middle + 1
      else high = middle
    }
    return low
  }
}
