//! Where a value may have been narrowed, its declared type proves less.

use super::check;

#[test]
fn instance_tests() {
    check(
        "
//- a.ts
class Base { run() {} shared() {} }
class Derived extends Base { run() {} }
export function narrowed(x: Base) {
  if (x instanceof Derived) x.run()
}
export function unaffected(x: Base) {
  if (x instanceof Derived) x.shared() //: Base.shared parameter_type
}
export function elsewhere(x: Base, y: Base) {
  if (x instanceof Derived) y.run() //: Base.run parameter_type
}
export class Holder {
  item: Base = null!
  use() { if (this.item instanceof Derived) this.item.run() }
}
",
    );
}

#[test]
fn unions_are_told_apart() {
    check(
        "
//- a.ts
class A { kind = 'a' as const; run() {} }
class B { kind = 'b' as const; run() {} }
export function compared(x: A | B) { if (x.kind === 'a') x.run() }
export function switched(x: A | B) { switch (x.kind) { case 'a': x.run() } }
export function within(x: A | B) { if ('run' in x) x.run() }
export function typed(x: A | string) { if (typeof x !== 'string') x.run() }
export function assigned(x: A | B) { x = new A(); x.run() } //: A new_expression
export const initial: A | B = new A() //: A new_expression
initial.run()
export function destructured({ x }: { x: A | B }) { x.run() }
export function free(x: A | B) { x.run() } //: A.run parameter_type, B.run parameter_type
",
    );
}

#[test]
fn predicates_and_assertions() {
    check(
        "
//- a.ts
class Base { run() {} }
class Derived extends Base { run() {} }
function isDerived(x: Base): x is Derived { return true }
function assertDerived(x: Base): asserts x is Derived {}
function isOk(x: Base): boolean { return true }
export function predicate(x: Base) { if (isDerived(x)) x.run() } //: isDerived same_file
export function assertion(x: Base) { assertDerived(x); x.run() } //: assertDerived same_file
export function harmless(x: Base) { if (isOk(x)) x.run() } //: isOk same_file, Base.run parameter_type
export function filtered(xs: Base[]) { xs.filter(isDerived)[0].run() } //: Derived.run field_type
export function inline(xs: Base[]) { xs.filter(x => x instanceof Derived)[0].run() }
export function alias(x: Base) { if (isDerived(x)) { const y = x; y.run() } } //: isDerived same_file
",
    );
}

#[test]
fn predicates_about_something_else() {
    check(
        "
//- a.ts
class Base { run() {} isDerived(): this is Derived { return true } }
class Derived extends Base { run() {} }
function isBoth(flag: number, x: Base): x is Derived { return true }
export function other(y: Base, x: Base) { if (isBoth(1, x)) y.run() } //: isBoth same_file, Base.run parameter_type
export function position(y: any, x: Base) { if (isBoth(x as any, y)) x.run() } //: isBoth same_file, Base.run parameter_type
export function method(x: Base) { if (x.isDerived()) x.run() } //: Base.isDerived parameter_type
",
    );
}

#[test]
fn inferred_alternatives_are_reduced_by_structure() {
    check(
        "
//- a.ts
class Base { run() {} }
class Derived extends Base { run() {} }
declare const flag: boolean, base: Base, derived: Derived
export const a = (flag ? base : derived).run()
export const b = [base, derived][0].run()
export function either() { if (flag) return base; return derived }
either().run() //: either same_file
;(base || derived).run()
;(flag ? base : base).run() //: Base.run parameter_type
",
    );
}

#[test]
fn a_value_chosen_by_its_own_test() {
    check(
        "
//- a.ts
class Table { clone() {} }
class Other { clone() {} }
function isTable(x: unknown): x is Table { return true }
function find(name: string): Table { return null! }
export function predicate(x: Table | string) {
  const table = isTable(x) ? x : find(x) //: isTable same_file, find same_file
  table.clone() //: Table.clone parameter_type
}
export function instance(x: Table | string) { (x instanceof Table ? x : find(x)).clone() } //: find same_file, Table.clone parameter_type
export function several(x: Table | Other) { (isTable(x) ? x : find('')).clone() } //: isTable same_file, find same_file
export function unknown(x: any) { (isTable(x) ? x : find('')).clone() } //: isTable same_file, find same_file
",
    );
}
