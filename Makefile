# hexpass: everything a user or CI calls. The work is in scripts/.
#
#   make run      install what is needed, build, run the demonstration
#   make test     install what is needed, build, run every test
#   make build    leave target/release/{libhexpass.so,libhexrt.a,libhexrt.so,hexcc,hexc++,hexflang}
#   make bench    print the CPU table
#   make gpu-pack build target/gpu-pack/, to be run on a GPU machine
#   make install  copy to PREFIX (default /usr/local), below DESTDIR

PREFIX ?= /usr/local
export PREFIX DESTDIR

.DEFAULT_GOAL := build
.PHONY: setup build run test bench gpu-pack install clean

setup:
	scripts/setup.sh

build:
	scripts/build.sh

run: setup
	scripts/build.sh
	scripts/run-demo.sh

test: setup
	scripts/build.sh
	scripts/test.sh

bench: build
	scripts/bench.sh

gpu-pack: build
	scripts/gpu-pack.sh

install:
	@test -e $${CARGO_TARGET_DIR:-target}/release/libhexrt.a || scripts/build.sh
	scripts/install.sh

clean:
	cargo clean
