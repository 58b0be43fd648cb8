//! Orders a kernel's blocks. Consumes blocks in the order of the text, produces them in the order in
//! which a warp prefers them: every block after all its predecessors, loop by loop, each loop
//! contiguous. [`warp`](super::warp) always runs the fragment that stands first, so divergent
//! lanes meet again at the earliest block that they share ("thread frontiers": Diamos et al.,
//! MICRO 2011), and lanes that leave a loop wait for those still in it.

use std::collections::{HashMap, HashSet};

use super::code::{Block, End};

/// Deeper loops than this keep the order of the text.
const DEEPEST: usize = 128;

/// Reachable blocks only, in their new order and with their targets renumbered.
pub fn order(mut blocks: Vec<Block>) -> Vec<Block> {
    skip_empty(&mut blocks);
    join_chains(&mut blocks);
    let edges: Vec<Vec<u32>> = blocks.iter_mut().map(successors).collect();
    let entries = turned(&edges);
    let mut arranger = Arranger { edges: &edges, entries, group: vec![0; blocks.len()], groups: 0 };
    let mut order = Vec::new();
    arranger.arrange(reachable(&edges), 0, &mut order);
    renumber(blocks, &order)
}

fn successors(block: &mut Block) -> Vec<u32> {
    let mut targets = Vec::new();
    block.end.targets(&mut |target| targets.push(*target));
    targets
}

fn turned(edges: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let mut turned = vec![Vec::new(); edges.len()];
    for (from, targets) in edges.iter().enumerate() {
        targets.iter().for_each(|&target| turned[target as usize].push(from as u32));
    }
    turned
}

/// Jumps to a block that only jumps on go straight to where it leads.
fn skip_empty(blocks: &mut [Block]) {
    let leads_to: Vec<u32> = (0..blocks.len()).map(|index| destination(blocks, index)).collect();
    for block in blocks {
        block.end.targets(&mut |target| *target = leads_to[*target as usize]);
    }
}

fn destination(blocks: &[Block], mut index: usize) -> u32 {
    // A circle of empty blocks is an endless loop; any of its blocks will do.
    for _ in 0..64 {
        match &blocks[index] {
            Block { members: None, insts, end: End::Jump(next), .. } if insts.is_empty() => {
                index = *next as usize;
            }
            _ => break,
        }
    }
    index as u32
}

/// Appends a block to the only one that leads to it, where that one just jumps there.
fn join_chains(blocks: &mut [Block]) {
    let mut entries = vec![0u32; blocks.len()];
    entries[0] = 1;
    let mut seen = vec![false; blocks.len()];
    let mut open = vec![0usize];
    seen[0] = true;
    while let Some(index) = open.pop() {
        blocks[index].end.targets(&mut |target| {
            entries[*target as usize] += 1;
            if !std::mem::replace(&mut seen[*target as usize], true) {
                open.push(*target as usize);
            }
        });
    }
    for index in (0..blocks.len()).filter(|&index| seen[index]) {
        while let End::Jump(next) = blocks[index].end {
            let next = next as usize;
            if next == index || entries[next] != 1 || blocks[next].members.is_some() {
                break;
            }
            let insts = std::mem::take(&mut blocks[next].insts);
            let lines = std::mem::take(&mut blocks[next].lines);
            let end = std::mem::replace(&mut blocks[next].end, End::Exit);
            let block = &mut blocks[index];
            block.lines.pop();
            block.insts.extend(insts);
            block.lines.extend(lines);
            block.end = end;
        }
    }
}

fn reachable(edges: &[Vec<u32>]) -> Vec<u32> {
    let mut seen = vec![false; edges.len()];
    let mut open = vec![0u32];
    seen[0] = true;
    while let Some(index) = open.pop() {
        for &next in &edges[index as usize] {
            if !std::mem::replace(&mut seen[next as usize], true) {
                open.push(next);
            }
        }
    }
    (0..edges.len() as u32).filter(|&index| seen[index as usize]).collect()
}

struct Arranger<'e> {
    edges: &'e [Vec<u32>],
    /// The edges turned round.
    entries: Vec<Vec<u32>>,
    /// The set that a node was last put into; edges count only within one set.
    group: Vec<u32>,
    groups: u32,
}

impl Arranger<'_> {
    /// Appends `nodes` topologically; each loop as its header and then, without it, its inside.
    fn arrange(&mut self, nodes: Vec<u32>, depth: usize, order: &mut Vec<u32>) {
        if depth > DEEPEST {
            return order.extend(nodes);
        }
        self.groups += 1;
        let group = self.groups;
        nodes.iter().for_each(|&node| self.group[node as usize] = group);
        let loops = Components::of(self.edges, &self.group, group, &nodes);
        // Headers are found while the set is still marked: inner calls mark sets of their own.
        let headers: Vec<u32> = loops.iter().map(|nodes| self.header(nodes)).collect();
        for (nodes, header) in loops.into_iter().zip(headers) {
            order.push(header);
            let inside: Vec<u32> = nodes.into_iter().filter(|&node| node != header).collect();
            if !inside.is_empty() {
                self.arrange(inside, depth + 1, order);
            }
        }
    }

    /// The node by which a loop is entered: the first one of the text that is reached from outside.
    fn header(&self, nodes: &[u32]) -> u32 {
        let first = nodes.iter().copied().min().unwrap_or(0);
        if nodes.len() < 2 || first == 0 {
            return first;
        }
        let inside: HashSet<u32> = nodes.iter().copied().collect();
        let entered =
            |node: &&u32| self.entries[**node as usize].iter().any(|n| !inside.contains(n));
        nodes.iter().filter(entered).min().copied().unwrap_or(first)
    }
}

/// Tarjan's strongly connected components, without recursion.
struct Components<'e> {
    edges: &'e [Vec<u32>],
    found: Vec<Vec<u32>>,
    stack: Vec<u32>,
    index: HashMap<u32, (u32, u32, bool)>,
}

impl Components<'_> {
    /// The components of the nodes marked `group`, in topological order.
    fn of(edges: &[Vec<u32>], marks: &[u32], group: u32, nodes: &[u32]) -> Vec<Vec<u32>> {
        let mut components =
            Components { edges, found: Vec::new(), stack: Vec::new(), index: HashMap::new() };
        for &node in nodes {
            if !components.index.contains_key(&node) {
                components.visit(node, &|n: u32| marks[n as usize] == group);
            }
        }
        components.found.reverse();
        components.found
    }

    fn enter(&mut self, node: u32) {
        let number = self.index.len() as u32;
        self.index.insert(node, (number, number, true));
        self.stack.push(node);
    }

    fn low(&mut self, node: u32, low: u32) {
        if let Some(entry) = self.index.get_mut(&node) {
            entry.1 = entry.1.min(low);
        }
    }

    fn visit(&mut self, root: u32, inside: &dyn Fn(u32) -> bool) {
        let mut path = vec![(root, 0usize)];
        self.enter(root);
        while let Some(&(node, at)) = path.last() {
            if let Some(&next) = self.edges[node as usize].get(at) {
                if let Some(step) = path.last_mut() {
                    step.1 += 1;
                }
                match self.index.get(&next) {
                    _ if !inside(next) => (),
                    None => {
                        self.enter(next);
                        path.push((next, 0));
                    }
                    Some(&(number, _, true)) => self.low(node, number),
                    Some(_) => (),
                }
                continue;
            }
            path.pop();
            let (number, low, _) = self.index[&node];
            if let Some(&(parent, _)) = path.last() {
                self.low(parent, low);
            }
            if number == low {
                self.close(node);
            }
        }
    }

    fn close(&mut self, root: u32) {
        let mut nodes = Vec::new();
        while let Some(node) = self.stack.pop() {
            if let Some(entry) = self.index.get_mut(&node) {
                entry.2 = false;
            }
            nodes.push(node);
            if node == root {
                break;
            }
        }
        self.found.push(nodes);
    }
}

fn renumber(blocks: Vec<Block>, order: &[u32]) -> Vec<Block> {
    let mut place = vec![0; blocks.len()];
    for (index, &block) in order.iter().enumerate() {
        place[block as usize] = index as u32;
    }
    let mut blocks: Vec<Option<Block>> = blocks.into_iter().map(Some).collect();
    let ordered = order.iter().filter_map(|&block| blocks[block as usize].take());
    let renamed = ordered.map(|mut block| {
        block.end.targets(&mut |target| *target = place[*target as usize]);
        block
    });
    renamed.collect()
}
