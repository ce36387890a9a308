//! `this`, `super`, `new`, statics, inheritance, heritage edges.

use super::{Sources, check};

#[test]
fn own_and_inherited_members() {
    check(
        "
//- base.ts
export class Animal {
  run(): void { this.step() } //: Animal.step this_method
  step(): void {}
  #secret() {}
  tell() { this.#secret() } //: Animal.#secret this_method
}
//- use.ts
import { Animal } from './base'
export class Dog extends Animal {
  constructor() {
    super() //: base.ts#Animal super_method
  }
  step(): void {
    super.step() //: base.ts#Animal.step super_method
    this.run() //: base.ts#Animal.run this_method
    this.step() //: Dog.step this_method
    const later = () => this.run() //: base.ts#Animal.run this_method
    function lost(this: any) { this.run() }
  }
}
new Dog().run() //: base.ts#Animal.run new_expression, Dog new_expression, Dog.constructor new_expression
new Dog().step() //: Dog.step new_expression, Dog new_expression, Dog.constructor new_expression
",
    );
}

#[test]
fn constructors() {
    check(
        "
//- a.ts
class Base { constructor(n: number) {} }
class Plain extends Base {}
class Own extends Plain {
  constructor() { super(1) } //: Plain super_method, Base.constructor super_method
}
class Bare {}
new Base(1) //: Base new_expression, Base.constructor new_expression
new Plain(1) //: Plain new_expression, Base.constructor new_expression
new Own() //: Own new_expression, Own.constructor new_expression
new Bare() //: Bare new_expression
new Bare //: Bare new_expression
class Far extends Unknown { constructor() { super() } }
new Far() //: Far new_expression, Far.constructor new_expression
",
    );
}

#[test]
fn statics_fields_and_accessors() {
    check(
        "
//- a.ts
class Store {
  static open(): Store { return new Store() } //: Store new_expression
  static shared = Store.open() //: Store.open static_member
  put() {}
  get current(): Store { return this }
  handle = () => this.put() //: Store.put this_method
  static { this.open() } //: Store.open this_method
}
class Owner {
  constructor(private store: Store, readonly other: Store) { store.put() } //: Store.put parameter_type
  made = new Store() //: Store new_expression
  use() {
    this.store.put() //: Store.put field_type
    this.other.put() //: Store.put field_type
    this.made.put() //: Store.put field_type
    this.made.current.current.put() //: Store.put field_type
    this.made.handle() //: Store.handle field_type
    Store.shared.put() //: Store.put field_type
    Store.put()
    this.store.open()
    this.made.current()
  }
}
Store.open().put() //: Store.put return_type, Store.open static_member
",
    );
}

#[test]
fn overloads_are_one_symbol_and_merged_declarations_keep_their_meaning() {
    check(
        "
//- a.ts
export class Box {
  size() { return 1 }
  static of(n: number): Box
  static of(n: string): Box
  static of(_n: unknown): Box { return new Box() } //: Box new_expression
}
function pick(n: number): Box
function pick(n: string): Box
function pick(_n: unknown): Box { return Box.of(1) } //: Box.of static_member
Box.of('1').size() //: Box.size return_type, Box.of static_member
pick(1).size() //: Box.size return_type, pick same_file
interface Merged { fromInterface(): void }
class Merged { fromClass() {} }
new Merged().fromClass() //: Merged.fromClass new_expression, Merged new_expression
new Merged().fromInterface() //: Merged.fromInterface new_expression, Merged new_expression
function tool() {}
namespace tool { export function part() {} }
tool() //: tool same_file
tool.part() //: tool.part same_file
",
    );
}

#[test]
fn class_expressions_and_object_literals() {
    check(
        "
//- a.ts
const Shape = class { draw() { this.draw() } } //: Shape.draw this_method
new Shape().draw() //: Shape.draw new_expression, Shape new_expression
const api = {
  load() { return this.save() }, //: api.save this_method
  save: () => 1,
  nested: { deep() {} },
}
api.load() //: api.load object_literal
api.save() //: api.save object_literal
api.nested.deep() //: api.nested.deep object_literal
const more = { ...api, extra() {} }
more.load() //: api.load object_literal
more.extra() //: more.extra object_literal
const hidden = { save() {}, ...unknown() }
hidden.save()
const computed = { save() {}, [key]: 1 }
computed.save()
const last = { run() {}, ...{ run() {} } }
",
    );
}

#[test]
fn heritage_edges() {
    let sources = Sources::new(
        "
//- lib.ts
export interface Store { get(): void }
export class Base {}
//- use.ts
import { Store as Shop, Base } from './lib'
import * as lib from './lib'
interface Wider extends Shop {}
interface Store { other(): void }
class A extends Base implements Shop, Wider {}
class B extends lib.Base implements lib.Store, Store {}
class C extends A {}
const Alias = Base
class D extends Alias {}
class E extends mixin(Base) implements Array<Base> {}
",
    );
    assert_eq!(
        sources.heritage("use.ts"),
        "\
Wider extends lib.ts#Store
A extends lib.ts#Base
A implements lib.ts#Store
A implements Wider
B extends lib.ts#Base
B implements lib.ts#Store
B implements Store
C extends A
D extends lib.ts#Base
"
    );
}

#[test]
fn type_uses() {
    let sources = Sources::new(
        "
//- lib.ts
export interface Store<T> { get(): T }
export class Base {}
export const value = { inner: 1 }
//- use.ts
import { Store, Base, value } from './lib'
export class A<T> extends Base implements Store<Base> {
  get(x?: T): Base { return x as Base }
}
let b: typeof value, c: Array<Store<string>>, d: A<A<number>>
",
    );
    assert_eq!(
        sources.type_uses("use.ts"),
        "\
2:27 lib.ts#Base
2:43 lib.ts#Store
2:49 lib.ts#Base
3:15 lib.ts#Base
3:34 lib.ts#Base
5:15 lib.ts#value
5:31 lib.ts#Store
5:50 A
5:52 A
"
    );
}
