/** Numbers objects, so that a cache key can refer to them. A number is not reused when its object is garbage-collected. */
export class ObjectNumbers {
  private readonly numbers = new WeakMap<object, number>()
  private count = 0

  of(object: object): number {
    let number = this.numbers.get(object)
    if (number === undefined) {
      this.count += 1
      number = this.count
      this.numbers.set(object, number)
    }
    return number
  }
}
