//! What looks like a call of a declaration and is not proven to be one.

use super::check;

#[test]
fn mentions_that_are_no_calls() {
    check(
        "
//- lib.ts
export function save(n: number) { return n }
export class Store {}
//- use.ts
import { save, Store } from './lib'
/* save(1) */ // save(2)
export const text = 'save(3)' + `save(4)`
export function passed(xs: number[]) { return xs.map(save) }
export type Result = ReturnType<typeof save>
export function typed(s: Store) { return s }
export const checked = (x: any) => x instanceof Store
export { save }
save.call(null, 1)
save.apply(null, [1])
save.bind(null)()
export const regex = /save(5)/
export const nested = `${save(6)}` //: lib.ts#save import
",
    );
}

#[test]
fn any_dynamic_and_reassigned() {
    check(
        "
//- a.ts
class Store { put() {} }
export function any(x: any) { x.put() }
export function unknown(x: unknown) { (x as any).put() }
export function untyped(x) { x.put() }
export function dynamic(s: Store, k: string) { s[k]() }
export function reassigned() { let s = new Store(); s = other(); s.put() } //: Store new_expression
let handler = () => {}
handler = other
handler()
function replaced() {}
replaced = other
replaced()
var twice = () => {}
var twice = () => {}
twice()
export function wrong(s: string, n: number[]) { s.put(); n.put(); s.trim().put() }
put()
window.put()
",
    );
}

#[test]
fn builtins_never_match_symbols() {
    check(
        "
//- a.ts
export class List { map() {} filter() {} push() {} }
export function map() {}
export function trim() {}
export function use(xs: number[], s: string, m: Map<string, number>) {
  xs.map(x => x); xs.filter(Boolean); xs.push(1)
  s.trim(); m.get('x'); Object.keys({}); JSON.parse(s); Promise.resolve(1).then(x => x)
  console.log(s); parseInt(s); new Map(); new Error(s); Symbol('x')
}
",
    );
}

#[test]
fn unknown_bases_hide_what_they_may_declare() {
    check(
        "
//- a.ts
import { External } from 'external'
class Mine extends External { own() { this.own(); this.theirs() } } //: Mine.own this_method
interface Wide extends External { known(): void }
interface Late extends External, Wide {}
export function a(w: Wide, l: Late) { w.known(); l.known() } //: Wide.known parameter_type
class Mixed extends mixin(Object) { go() { this.go(); this.away() } } //: Mixed.go this_method
",
    );
}

#[test]
fn intersections_with_left_out_members() {
    check(
        "
//- a.ts
interface Full { get(): void; set(): void }
type Changed = Omit<Full, 'get'> & { get(): string }
interface Again extends Omit<Full, 'get'> { get(): string }
export function a(c: Changed, g: Again, p: Pick<Full, 'set'>) { c.get(); g.get(); g.set(); p.set() } //: Again.get parameter_type, Full.set parameter_type, Full.set parameter_type
",
    );
}

#[test]
fn global_augmentations_are_no_local_names() {
    check(
        "
//- a.ts
declare global { function everywhere(): void; interface Window { go(): void } }
declare module 'other' { export function outside(): void }
everywhere()
outside()
export {}
",
    );
}

#[test]
fn a_value_of_a_class_type_may_be_another_class() {
    check(
        "
//- a.ts
class Source { constructor(n: number) {} go() {} }
export function make(ctor: typeof Source) { return new ctor(1) }
make(Source).go() //: make same_file, Source.go return_type
",
    );
}

#[test]
fn what_a_property_held_at_first_proves_nothing() {
    check(
        "
//- a.js
export function handler() {}
export const options = { handler }
options.handler = () => 1
options.handler()
handler() //: handler same_file
",
    );
}
