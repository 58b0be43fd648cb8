//! Convolution with a kernel of three by three weights: two loops for the pixels, two for the kernel.

mod corpus;

const KERNEL: [[f32; 3]; 3] = [[1.0, 2.0, 1.0], [2.0, 4.0, 2.0], [1.0, 2.0, 1.0]];

struct Image {
    height: usize,
    width: usize,
    pixels: Vec<f32>,
}

fn blur(from: &Image, to: &mut Image) {
    for y in 1..from.height - 1 {
        for x in 1..from.width - 1 {
            let mut sum = 0.0;
            for (dy, weights) in KERNEL.iter().enumerate() {
                for (dx, weight) in weights.iter().enumerate() {
                    sum += weight * from.pixels[(y + dy - 1) * from.width + x + dx - 1];
                }
            }
            to.pixels[y * to.width + x] = sum / 16.0;
        }
    }
}

#[inline(never)]
fn blur_often(now: &mut Image, next: &mut Image, steps: usize) {
    for _ in 0..steps {
        blur(now, next);
        std::mem::swap(&mut now.pixels, &mut next.pixels);
    }
}

fn main() {
    let mut output = corpus::Output::new();
    for case in corpus::cases() {
        let (height, width) = (case.nx as usize, case.ny as usize);
        let image = |seed| Image { height, width, pixels: corpus::varied(height * width, seed) };
        let (mut now, mut next) = (image(1), image(2));
        blur_often(&mut now, &mut next, case.steps as usize);
        output.case(&case);
        output.array("now", 0, &now.pixels);
        output.array("next", 0, &next.pixels);
    }
}
