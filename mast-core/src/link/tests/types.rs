//! Receivers with written types.

use super::check;

#[test]
fn annotations_of_every_kind() {
    check(
        "
//- lib.ts
export class Store { put() {} next(): Store { return this } }
//- use.ts
import { Store } from './lib'
import type { Store as Typed } from './lib'
export function parameter(s: Store) { s.put() } //: lib.ts#Store.put parameter_type
export function optional(s?: Store) { s?.put() } //: lib.ts#Store.put parameter_type
export function nullable(s: Store | null) { s!.put() } //: lib.ts#Store.put parameter_type
export function typeOnly(s: Typed) { s.put() } //: lib.ts#Store.put parameter_type
export function bounded<T extends Store>(s: T) { s.put() } //: lib.ts#Store.put parameter_type
export function variable() { let s: Store = make(); s.put() } //: lib.ts#Store.put parameter_type
export function cast(x: any) { (x as Store).put() } //: lib.ts#Store.put parameter_type
export function angle(x: any) { (<Store>x).put() } //: lib.ts#Store.put parameter_type
export function satisfied() { return ({} satisfies {}) }
export function list(xs: Store[]) { xs[0].put(); for (const s of xs) s.put() } //: lib.ts#Store.put field_type, lib.ts#Store.put parameter_type
export function readonlyList(xs: readonly Store[]) { xs.map(s => s.put()) } //: lib.ts#Store.put parameter_type
export function tuple([a, b]: [number, Store]) { b.put() } //: lib.ts#Store.put parameter_type
export function map(m: Map<string, Store>) { m.get('a')!.put() } //: lib.ts#Store.put return_type
export function record(r: Record<string, Store>) { r.a.put(); r['b'].put(); r[key].put() } //: lib.ts#Store.put field_type, lib.ts#Store.put field_type, lib.ts#Store.put field_type
export async function promised(p: Promise<Store>) { (await p).put() } //: lib.ts#Store.put parameter_type
export function literal(o: { s: Store }) { o.s.put() } //: lib.ts#Store.put field_type
export function taken({ s }: { s: Store }) { s.put() } //: lib.ts#Store.put parameter_type
export function imported(s: import('./lib').Store) { s.put() } //: lib.ts#Store.put parameter_type
export function chain(s: Store) { s.next().next().put() } //: lib.ts#Store.put return_type, lib.ts#Store.next return_type, lib.ts#Store.next parameter_type
export function helper(s: Partial<Store>, r: Readonly<Store>) { r.put() } //: lib.ts#Store.put parameter_type
export const k: Store = make(), l = k
l.put() //: lib.ts#Store.put parameter_type
",
    );
}

#[test]
fn interfaces_are_called_not_what_implements_them() {
    check(
        "
//- a.ts
export interface Repo { find(id: string): string; save: (id: string) => void }
export interface Wide extends Repo { count(): number }
export class SqlRepo implements Repo { find(id: string) { return id } save(id: string) {} }
export class Unrelated { find(id: string) { return id } }
type Shape = { area(): number }
type Named = { name(): string }
type Both = Shape & Named
export function a(r: Repo) { r.find('1') } //: Repo.find parameter_type
export function b(r: SqlRepo) { r.find('2') } //: SqlRepo.find parameter_type
export function c(r: Wide) { r.find('3'); r.count() } //: Repo.find parameter_type, Wide.count parameter_type
export function e(s: Shape, b: Both) { s.area(); b.area(); b.name() } //: Shape.area parameter_type, Shape.area parameter_type, Named.name parameter_type
",
    );
}

#[test]
fn unions_need_every_member() {
    check(
        "
//- a.ts
class Store { put() {} }
class Other { put() {} }
export function both(s: Store | Other) { s.put() } //: Store.put parameter_type, Other.put parameter_type
export function one(s: Store | Missing) { s.put() }
export function text(s: Store | string) { s.put() }
export function same(s: Store | undefined | null) { s?.put() } //: Store.put parameter_type
",
    );
}

#[test]
fn aliases_and_generics() {
    check(
        "
//- a.ts
class Item { use() {} }
class Box<T> { constructor(public value: T) {} open(): T { return this.value } map<U>(f: (t: T) => U): Box<U> { return null! } }
type Items = Item[]
type Boxed<T> = Box<T>
interface Source<T> { read(): T; all(): T[] }
class Named<T = Item> extends Box<T> {}
export function a(b: Box<Item>) { b.open().use(); b.value.use() } //: Item.use return_type, Box.open parameter_type, Item.use field_type
export function b(xs: Items) { xs.pop()!.use() } //: Item.use return_type
export function c(b: Boxed<Item>) { b.open().use() } //: Item.use return_type, Box.open parameter_type
export function d(s: Source<Item>) { s.read().use(); s.all()[0].use() } //: Item.use return_type, Source.read parameter_type, Item.use field_type, Source.all parameter_type
export function e(n: Named) { n.open().use() } //: Item.use return_type, Box.open parameter_type
export function f(b: Box<string>) { b.open().use() } //: Box.open parameter_type
export function g(b: Box<Item>) { b.map(i => new Box(i)).open().open().use() } //: Item.use return_type, Box.open return_type, Box.open return_type, Box.map parameter_type, Box new_expression, Box.constructor new_expression
new Box(new Item()).open().use() //: Item.use return_type, Box.open new_expression, Box new_expression, Box.constructor new_expression, Item new_expression
new Box<Item>(null!).value.use() //: Item.use field_type, Box new_expression, Box.constructor new_expression
export type Of = Source<Item>['read']
export function h(f: Of) { f().use() } //: Item.use return_type
",
    );
}
