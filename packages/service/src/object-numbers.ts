/** Numbers objects, so that the key of a cache can name them. An object that is gone takes its number along. */
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
